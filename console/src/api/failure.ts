// What can become of a request other than its answer, as one kind of error.
import type { Problem } from "./types";

export type FailureKind =
  | "problem" // the server refused, and said why
  | "offline" // no connection
  | "timeout" // no answer in time
  | "unexpected"; // an answer that is not ours, e.g. a proxy's page

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly problem: Problem | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The scope that a 403 asks for. */
  readonly scope: string | undefined;

  constructor(kind: FailureKind, more: { status?: number; problem?: Problem; retryAfterSeconds?: number; scope?: string } = {}) {
    super(more.problem?.detail ?? kind);
    this.kind = kind;
    this.status = more.status ?? 0;
    this.problem = more.problem;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.scope = more.scope;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.status === 404;
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
