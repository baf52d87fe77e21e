// Sends all dead jobs that match a filter again, step by step: each step takes a page of the list and sends those again by
// their ids. What is sent again may be dead again a moment later, and a batch shares its millisecond; the list's cursor goes
// by the id, so that each is met once, and what dies meanwhile and is newer is not met at all.
import type { Page, RequeueResult } from "../api/types";

/** As many as the server gives on a page. */
export const STEP = 200;

export interface Progress {
  done: number;
  refused: number;
  finished: boolean;
}

export interface Walk {
  /** A page of what matches, as ids; it may be short or empty while there are more. */
  page(cursor: string | undefined): Promise<Page<string>>;
  requeue(ids: string[]): Promise<RequeueResult>;
  onProgress(progress: Progress): void;
  stopped(): boolean;
}

export async function requeueAll(walk: Walk): Promise<Progress> {
  const progress: Progress = { done: 0, refused: 0, finished: false };
  let cursor: string | undefined;
  while (!walk.stopped()) {
    const { data: ids, nextCursor } = await walk.page(cursor);
    if (walk.stopped()) break;
    if (ids.length > 0) {
      const result = await walk.requeue(ids);
      progress.done += result.requeued;
      progress.refused += result.refused + result.notFound;
    }
    progress.finished = nextCursor === null;
    walk.onProgress({ ...progress });
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return progress;
}
