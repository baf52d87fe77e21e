// Loads what a screen shows: keeps the old data while newer comes, drops answers that came too late, and loads again
// when the connection is back.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useConnection } from "./connection";

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  reload(): void;
}

interface State<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
}

/** `key` says what is loaded: another key drops the old data, the same key keeps it on screen meanwhile. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, loading: true });
  const [round, setRound] = useState(0);
  const shownKey = useRef(key);
  const { returns } = useConnection();

  useEffect(() => {
    const abort = new AbortController();
    const same = shownKey.current === key;
    shownKey.current = key;
    setState((old) => ({ data: same ? old.data : undefined, error: same ? old.error : undefined, loading: true }));
    load(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((old) => ({ data: old.data, error, loading: false }));
      },
    );
    return () => abort.abort();
    // `load` is a new function at each rendering; the key says when it means something else.
  }, [key, round, returns]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  // Between a change of the key and the effect above the old data would be shown under the new name.
  const stale = shownKey.current !== key;
  return stale ? { data: undefined, error: undefined, loading: true, reload } : { ...state, reload };
}
