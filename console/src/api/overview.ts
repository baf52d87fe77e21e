// The overview, once, and what the page needs to know before anything else.
import { requestJson } from "./http";
import type { Overview, Settings } from "./overview_types";

export const getOverview = (signal?: AbortSignal) => requestJson<Overview>("GET", "/overview", { signal });
export const getSettings = () => requestJson<Settings>("GET", "/console/settings");
