// One story out of two records: what was tried (attempts) and what became of it (events), in the order it happened.
import type { Attempt, StatusEvent } from "../api/types";

export type Moment = { at: string; event: StatusEvent } | { at: string; attempt: Attempt };

const isAttempt = (moment: Moment): boolean => "attempt" in moment;

/** Oldest first. An event at the very moment an attempt ended is the attempt's result, and stands after it. */
export function mergeTimeline(events: StatusEvent[], attempts: Attempt[]): Moment[] {
  const moments: Moment[] = [
    ...events.map((event) => ({ at: event.at, event })),
    ...attempts.map((attempt) => ({ at: attempt.attemptedAt, attempt })),
  ];
  const order = new Map(moments.map((moment, index) => [moment, index]));
  return moments.sort((a, b) => {
    const byTime = Date.parse(a.at) - Date.parse(b.at);
    if (byTime !== 0) return byTime;
    if (isAttempt(a) !== isAttempt(b)) {
      const event = "event" in a ? a.event : (b as { event: StatusEvent }).event;
      const eventFirst = event.from === null; // nothing comes before it was accepted
      return isAttempt(a) === eventFirst ? 1 : -1;
    }
    return (order.get(a) ?? 0) - (order.get(b) ?? 0);
  });
}
