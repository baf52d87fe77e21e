// Whether the server can be reached. Requests tell what they met; while it is away it is asked now and then, and whoever
// shows data loads it again when it is back.
import { createStore, useStore } from "./store";

export interface Connection {
  /** Since when it is away; null while all is well. */
  lostAt: number | null;
  /** Grows each time it comes back. */
  returns: number;
}

const ASK_AGAIN_MILLIS = 5000;

const connection = createStore<Connection>({ lostAt: null, returns: 0 });
let timer: ReturnType<typeof setTimeout> | undefined;

export function useConnection(): Connection {
  return useStore(connection);
}

export function serverAnswered(): void {
  clearTimeout(timer);
  timer = undefined;
  const { lostAt, returns } = connection.get();
  if (lostAt !== null) connection.set({ lostAt: null, returns: returns + 1 });
}

export function serverIsAway(): void {
  const { lostAt, returns } = connection.get();
  if (lostAt === null) connection.set({ lostAt: Date.now(), returns });
  if (timer === undefined) timer = setTimeout(askAgain, ASK_AGAIN_MILLIS);
}

async function askAgain(): Promise<void> {
  timer = undefined;
  if (document.hidden) {
    timer = setTimeout(askAgain, ASK_AGAIN_MILLIS);
    return;
  }
  try {
    await fetch("/health/live", { cache: "no-store" });
    serverAnswered();
  } catch {
    serverIsAway();
  }
}

export function watchConnection(): void {
  window.addEventListener("offline", serverIsAway);
  window.addEventListener("online", () => void askAgain());
}
