// Which acts a state allows, so that the page offers no others. The server has the last word (a job may have moved on).
import type { Job, Message } from "../api/types";

export type Act = "retry" | "cancel" | "abandon";

export function mailActs(message: Message): Act[] {
  const { status, details } = message;
  if (status === "FAILED" || status === "BOUNCED") return ["retry"];
  if (status !== "QUEUED" && status !== "RETRY_PENDING") return [];
  // What some recipients have already can only go on.
  const partly = details.recipients.some((one) => one.status === "taken" || one.status === "delivered");
  return partly ? [] : ["cancel", "abandon"];
}

export function isDeadJob(job: Job): boolean {
  return job.completedAt !== null && job.status === "ERROR";
}

export function jobActs(job: Job): Act[] {
  if (isDeadJob(job)) return ["retry"];
  const waits = job.status === "PENDING" || job.status === "QUEUED" || job.status === "ERROR" || job.status === "IN_PROGRESS";
  return waits ? ["cancel"] : [];
}

export function isFinalMail(message: Message): boolean {
  return message.status !== "QUEUED" && message.status !== "RETRY_PENDING";
}

export function isFinalJob(job: Job): boolean {
  return job.status === "COMPLETED" || job.status === "CANCELLED" || isDeadJob(job);
}
