// The overview as it changes: one stream for the page, open only while a screen wants it and somebody looks at it.
// fetch and ReadableStream instead of EventSource, which cannot carry a token.
import { useEffect } from "preact/hooks";
import { Failure } from "../api/failure";
import { pause } from "../api/http";
import type { CountPoint, Overview } from "../api/overview_types";
import type { Problem } from "../api/types";
import { bearer, renewToken } from "../auth/session";
import { EventReader } from "../logic/sse";
import { createStore, useStore } from "./store";

export interface Live {
  state: "connecting" | "live" | "offline";
  /** Since when it is so. */
  since: number;
  /** Why there is nothing to wait for (e.g. 403); null otherwise. */
  refused: Failure | null;
}

const SILENCE_MAX_MILLIS = 10000; // it sends every second, or a heartbeat
const BACKOFF_MILLIS = [500, 1000, 2000, 5000, 10000, 20000];
const SECONDS_KEPT = 300;

export const overview = createStore<Overview | null>(null);
export const seconds = createStore<CountPoint[]>([]);
export const minutes = createStore<CountPoint[]>([]);
const live = createStore<Live | null>(null);

let users = 0;
let abort: AbortController | null = null;

function setLive(state: Live["state"], refused: Failure | null = null): void {
  const now = live.get();
  if (now?.state !== state || refused) live.set({ state, since: Date.now(), refused });
}

function take(next: Overview): void {
  overview.set(next);
  if (next.minutes) minutes.set(next.minutes);
  if (next.seconds) {
    seconds.set(next.seconds.slice(-SECONDS_KEPT));
  } else {
    seconds.set([...seconds.get(), { at: next.at, ...next.rates }].slice(-SECONDS_KEPT));
  }
  setLive("live");
}

async function refusedBy(response: Response): Promise<Failure> {
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  return new Failure(problem ? "problem" : "unexpected", { status: response.status, problem });
}

/** Reads one stream to its end. */
async function readStream(signal: AbortSignal): Promise<void> {
  const token = bearer();
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (token) headers["authorization"] = `Bearer ${token}`;
  const response = await fetch("/overview/stream", { headers, signal, cache: "no-store", credentials: "omit" });
  if (response.status === 401 && (await renewToken())) return;
  if (!response.ok || !response.body) throw await refusedBy(response);
  const events = new EventReader();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await withSilenceLimit(reader.read(), reader);
    if (done) return;
    for (const event of events.push(decoder.decode(value, { stream: true }))) {
      if (event.event === "overview") take(JSON.parse(event.data) as Overview);
    }
  }
}

async function withSilenceLimit<T>(read: Promise<T>, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<T> {
  const timer = setTimeout(() => void reader.cancel(), SILENCE_MAX_MILLIS);
  try {
    return await read;
  } finally {
    clearTimeout(timer);
  }
}

async function keepReading(signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = Date.now();
    try {
      await readStream(signal);
      // A stream that ends by itself has had its time; one that ends at once must not make us spin.
      failures = Date.now() - startedAt > SILENCE_MAX_MILLIS ? 0 : failures + 1;
      if (!signal.aborted && failures === 0) setLive("connecting");
    } catch (error) {
      if (signal.aborted) return;
      ++failures;
      const status = error instanceof Failure ? error.status : 0;
      setLive("offline", status === 403 || status === 404 ? (error as Failure) : null);
    }
    const wait = failures === 0 ? 0 : (BACKOFF_MILLIS[Math.min(failures - 1, BACKOFF_MILLIS.length - 1)] as number);
    await pause(wait * (0.75 + Math.random() / 2), signal).catch(() => undefined);
  }
}

function update(): void {
  const wanted = users > 0 && !document.hidden;
  if (wanted && !abort) {
    abort = new AbortController();
    if (live.get()?.state !== "offline") setLive("connecting");
    void keepReading(abort.signal);
  } else if (!wanted && abort) {
    abort.abort();
    abort = null;
    live.set(null);
  }
}

if (typeof document !== "undefined") document.addEventListener("visibilitychange", update);

/** Null while no screen asks for it. */
export function useLiveState(): Live | null {
  return useStore(live);
}

/** The overview, kept up to date while the component is on screen. */
export function useOverview(): Overview | null {
  useEffect(() => {
    ++users;
    update();
    return () => {
      --users;
      update();
    };
  }, []);
  return useStore(overview);
}
