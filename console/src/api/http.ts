// One request to the server: token, timeout, Retry-After, problem+json, and what it tells about the connection.
import { serverAnswered, serverIsAway } from "../core/connection";
import { bearer, renewToken, scopeIsMissing } from "../auth/session";
import { Failure } from "./failure";
import type { Problem } from "./types";

export type Query = Record<string, string | undefined> | URLSearchParams;

export interface Options {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  timeoutMillis?: number;
}

const TIMEOUT_MILLIS = 20000;
const OVERLOAD_TRIES_MAX = 3;
const OVERLOAD_WAIT_SECONDS_MAX = 10;

function address(path: string, query: Query | undefined): string {
  if (!query) return path;
  const params = query instanceof URLSearchParams ? query : new URLSearchParams();
  if (!(query instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") params.append(name, value);
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

export function pause(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, millis);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}

async function send(method: string, url: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json, application/problem+json" };
  const token = bearer();
  if (token) headers["authorization"] = `Bearer ${token}`;
  if (options.body !== undefined) headers["content-type"] = "application/json";
  const abort = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    abort.abort();
  }, options.timeoutMillis ?? TIMEOUT_MILLIS);
  const forward = () => abort.abort();
  options.signal?.addEventListener("abort", forward);
  if (options.signal?.aborted) abort.abort();
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: abort.signal,
      cache: "no-store",
      credentials: "omit",
    });
    // The body is read under the same clock; afterwards it is at hand.
    const text = await response.text();
    serverAnswered();
    return new Response(response.status === 204 ? null : text, { status: response.status, headers: response.headers });
  } catch (error) {
    if (late) throw new Failure("timeout");
    if (options.signal?.aborted) throw new DOMException("aborted", "AbortError");
    if (error instanceof TypeError) {
      serverIsAway();
      throw new Failure("offline");
    }
    throw error;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", forward);
  }
}

async function failureOf(response: Response): Promise<Failure> {
  const retryAfter = Number(response.headers.get("retry-after") ?? "");
  const more = {
    status: response.status,
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
    scope: /scope="([^"]*)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1],
  };
  try {
    const problem = (await response.json()) as Problem;
    if (typeof problem?.title === "string") return new Failure("problem", { ...more, problem });
  } catch {
    // Not JSON: something between us and the server answered.
  }
  return new Failure("unexpected", more);
}

async function answerOf(method: string, path: string, options: Options): Promise<Response> {
  const url = address(path, options.query);
  let renewed = false;
  for (let tries = 1; ; ++tries) {
    const response = await send(method, url, options);
    if (response.ok) return response;
    if (response.status === 401 && !renewed && (await renewToken())) {
      renewed = true;
      continue;
    }
    const failure = await failureOf(response);
    if (response.status === 403) scopeIsMissing(failure.scope);
    // 429 means that nothing was taken, so that asking again is safe for acts too.
    const wait = failure.retryAfterSeconds ?? 1;
    if (response.status !== 429 || tries >= OVERLOAD_TRIES_MAX || wait > OVERLOAD_WAIT_SECONDS_MAX) throw failure;
    await pause(wait * 1000, options.signal);
  }
}

export async function requestJson<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const response = await answerOf(method, path, options);
  try {
    return (await response.json()) as T;
  } catch {
    throw new Failure("unexpected", { status: response.status });
  }
}

/** For an answer that may be empty. */
export async function requestMaybe<T>(method: string, path: string, options: Options = {}): Promise<T | undefined> {
  const response = await answerOf(method, path, options);
  return response.status === 204 ? undefined : ((await response.json()) as T);
}

export async function requestNothing(method: string, path: string, options: Options = {}): Promise<void> {
  await answerOf(method, path, options);
}

/** A part of a path. Colons may stand in one as they are, and are in the names of routes (host:port). */
export const segment = (text: string): string => encodeURIComponent(text).replace(/%3A/g, ":");
