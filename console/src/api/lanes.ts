// What holds deliveries up: pools, groups, breakers.
import { requestJson, requestMaybe, requestNothing, segment } from "./http";
import type { BlockedGroup, Breaker, Pool } from "./types";

export interface PoolLimits {
  name?: string;
  rateLimitPerMinute: number | null;
  burst: number;
  concurrency: number | null;
}

export const listPools = (signal?: AbortSignal) => requestJson<{ data: Pool[] }>("GET", "/dispatch-pools", { signal });

export const createPool = (pool: PoolLimits & { code: string }) =>
  requestJson<Pool>("POST", "/dispatch-pools", { body: pool });

export const changePool = (code: string, limits: PoolLimits) =>
  requestJson<Pool>("PUT", `/dispatch-pools/${segment(code)}`, { body: limits });

export const suspendPool = (code: string) => requestNothing("POST", `/dispatch-pools/${segment(code)}/suspend`);
export const activatePool = (code: string) => requestNothing("POST", `/dispatch-pools/${segment(code)}/activate`);

export const listBlockedGroups = (clientId: string | undefined, signal?: AbortSignal) =>
  requestJson<{ data: BlockedGroup[] }>("GET", "/message-groups", { query: { blocked: "true", clientId, limit: "200" }, signal });

const nameOf = ({ channel, clientId, group }: BlockedGroup) => ({ channel, clientId, group });

export const skipGroup = (group: BlockedGroup) => requestNothing("POST", "/message-groups/skip", { body: nameOf(group) });
export const retryGroup = (group: BlockedGroup) => requestNothing("POST", "/message-groups/retry", { body: nameOf(group) });

export const listBreakers = (signal?: AbortSignal) =>
  requestJson<{ data: Breaker[]; partial: boolean }>("GET", "/breakers", { signal });
/** At all instances; how many others close theirs with their next heartbeat. */
export const resetBreaker = async (route: string): Promise<number> =>
  (await requestMaybe<{ asked: number }>("POST", `/breakers/${segment(route)}/reset`))?.asked ?? 0;
