// The table of English, which says which keys there are.
import { enCommon } from "./en_common";
import { enScreens } from "./en_screens";

export const en = { ...enCommon, ...enScreens };
export type Key = keyof typeof en;
