// Sends all dead jobs that match a filter again, step by step.
//
// The server's answer has no cursor, and what is sent again may be dead again a moment later: asking for the same filter
// until nothing is left might never end. So each step asks only for what is not newer than the oldest of the step before:
// the filters by time are filters by id there, and an id holds its time. The millisecond of the oldest is asked for again,
// because a batch may share it, until a step brings nothing new.
import type { RequeueResult } from "../api/types";
import { millisOf } from "./tsid";

/** As many as the answer names by id: the oldest of them is where the next step begins. */
export const STEP = 200;

export interface Progress {
  done: number;
  refused: number;
  finished: boolean;
}

export interface Walk {
  /** The filter's name for "before this time": createdTo for mails, createdBefore for jobs. */
  beforeName: string;
  filter: Record<string, string>;
  requeue(order: { filter: Record<string, string>; limit: number }): Promise<RequeueResult>;
  onProgress(progress: Progress): void;
  stopped(): boolean;
}

export async function requeueAll(walk: Walk): Promise<Progress> {
  const progress: Progress = { done: 0, refused: 0, finished: false };
  const seen = new Set<string>();
  let filter = { ...walk.filter };
  while (!walk.stopped()) {
    const result = await walk.requeue({ filter, limit: STEP });
    progress.done += result.requeued;
    progress.refused += result.refused + result.notFound;
    progress.finished = !result.more;
    walk.onProgress({ ...progress });
    const oldest = oldestOf(result.ids);
    if (!result.more || oldest === undefined) break;
    const nothingNew = result.ids.every((id) => seen.has(id));
    for (const id of result.ids) seen.add(id);
    filter = { ...filter, [walk.beforeName]: new Date(nothingNew ? oldest : oldest + 1).toISOString() };
  }
  return progress;
}

function oldestOf(ids: string[]): number | undefined {
  const times = ids.map(millisOf).filter((millis): millis is number => millis !== undefined);
  return times.length ? Math.min(...times) : undefined;
}
