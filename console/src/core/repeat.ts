// Calls again and again while the page is seen. Nothing is asked of the server by pages that nobody looks at.
import { useEffect, useRef } from "preact/hooks";

/** `millis` null: not now. */
export function useRepeat(millis: number | null, call: () => void): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    if (millis === null) return;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, millis);
    return () => clearInterval(timer);
  }, [millis]);
}
