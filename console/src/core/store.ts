// A value that components can watch: the console's only kind of shared state.
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Calls back after each change; returns how to stop that. */
  subscribe(listener: (value: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [, setCount] = useState(0);
  useEffect(() => {
    const before = store.get();
    const stop = store.subscribe(() => setCount((count) => count + 1));
    // What changed between the rendering and this effect must not be missed.
    if (!Object.is(before, store.get())) setCount((count) => count + 1);
    return stop;
  }, [store]);
  return store.get();
}
