// The table of German. tsc refuses it when a key of English is missing or one is too many.
import type { Key } from "./en";
import { deCommon } from "./de_common";
import { deScreens } from "./de_screens";

export const de: Record<Key, string> = { ...deCommon, ...deScreens };
