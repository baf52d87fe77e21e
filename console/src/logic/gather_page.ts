// A page for a person out of pages of the server. Those may be short or empty while there is more, because the server
// looks at a bounded number of rows for each; so we go on until there is enough to show, but not for ever.
import type { Page } from "../api/types";

export interface Gathered<T> {
  rows: T[];
  nextCursor: string | null;
  /** How many of the server's pages were looked through for it. */
  lookedThrough: number;
}

export const LOOKS_MAX = 12;

export async function gatherPage<T>(
  cursor: string | undefined,
  enough: number,
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  keep: (row: T) => boolean = () => true,
): Promise<Gathered<T>> {
  const rows: T[] = [];
  let next = cursor;
  for (let looks = 1; ; ++looks) {
    const page = await fetchPage(next);
    rows.push(...page.data.filter(keep));
    if (page.nextCursor === null || rows.length >= enough || looks >= LOOKS_MAX) {
      return { rows, nextCursor: page.nextCursor, lookedThrough: looks };
    }
    next = page.nextCursor;
  }
}
