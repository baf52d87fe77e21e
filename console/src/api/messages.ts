// Mails: find, look at, act on.
import { requestJson, requestNothing, segment, type Query } from "./http";
import type { Attempt, Message, MessageContent, Page, RequeueResult, StatusEvent } from "./types";

export const listMessages = (query: Query, signal?: AbortSignal) =>
  requestJson<Page<Message>>("GET", "/messages", { query, signal });

export const getMessage = (id: string, signal?: AbortSignal) =>
  requestJson<Message>("GET", `/messages/${segment(id)}`, { signal });

export const getMessageAttempts = (id: string, signal?: AbortSignal) =>
  requestJson<{ data: Attempt[] }>("GET", `/messages/${segment(id)}/attempts`, { signal });

export const getMessageEvents = (id: string, signal?: AbortSignal) =>
  requestJson<{ data: StatusEvent[] }>("GET", `/messages/${segment(id)}/events`, { signal });

/** Each call is on the audit record. */
export const getMessageContent = (id: string, signal?: AbortSignal) =>
  requestJson<MessageContent>("GET", `/messages/${segment(id)}/content`, { signal });

export const cancelMessage = (id: string) => requestNothing("DELETE", `/messages/${segment(id)}`);
export const retryMessage = (id: string) => requestNothing("POST", `/messages/${segment(id)}/retry`);
export const abandonMessage = (id: string) => requestNothing("POST", `/messages/${segment(id)}/abandon`);

export interface RequeueOrder {
  ids?: string[];
  filter?: Record<string, string>;
  dryRun?: boolean;
  limit?: number;
}

// Many rows at once take longer than a look at one.
const REQUEUE_TIMEOUT_MILLIS = 120000;

export const requeueMessages = (order: RequeueOrder, signal?: AbortSignal) =>
  requestJson<RequeueResult>("POST", "/messages/requeue", { body: order, signal, timeoutMillis: REQUEUE_TIMEOUT_MILLIS });

export const requeueJobs = (order: RequeueOrder, signal?: AbortSignal) =>
  requestJson<RequeueResult>("POST", "/dispatch-jobs/requeue", { body: order, signal, timeoutMillis: REQUEUE_TIMEOUT_MILLIS });
