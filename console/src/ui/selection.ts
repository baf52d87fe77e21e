// Which rows are chosen. Another page or filter starts with none, so that nothing unseen is acted on.
import { useEffect, useState } from "preact/hooks";
import type { Selection } from "./table";

export function useSelection(page: string): Selection & { clear(): void } {
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const clear = () => setChosen(new Set());
  useEffect(clear, [page]);
  return {
    chosen,
    clear,
    setAll: (ids) => setChosen(new Set(ids)),
    toggle: (id) =>
      setChosen((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
}
