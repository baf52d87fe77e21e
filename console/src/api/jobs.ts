// Webhook jobs: find, look at, act on. `why` answers for mails too.
import { requestJson, requestNothing, segment, type Query } from "./http";
import type { Attempt, Job, Page, StatusEvent, Why } from "./types";

export const listJobs = (query: Query, signal?: AbortSignal) =>
  requestJson<Page<Job>>("GET", "/dispatch-jobs", { query, signal });

export const getJob = (id: string, signal?: AbortSignal) => requestJson<Job>("GET", `/dispatch-jobs/${segment(id)}`, { signal });

export const getJobAttempts = (id: string, signal?: AbortSignal) =>
  requestJson<{ data: Attempt[] }>("GET", `/dispatch-jobs/${segment(id)}/attempts`, { signal });

export const getJobEvents = (id: string, signal?: AbortSignal) =>
  requestJson<{ data: StatusEvent[] }>("GET", `/dispatch-jobs/${segment(id)}/events`, { signal });

export const getWhy = (id: string, signal?: AbortSignal) => requestJson<Why>("GET", `/jobs/${segment(id)}/why`, { signal });

export const cancelJob = (id: string) => requestNothing("POST", `/dispatch-jobs/${segment(id)}/cancel`);
export const retryJob = (id: string) => requestNothing("POST", `/dispatch-jobs/${segment(id)}/retry`);
