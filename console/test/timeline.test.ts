import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attempt, StatusEvent } from "../src/api/types";
import { mergeTimeline } from "../src/logic/timeline";

const event = (at: string, from: string | null, to: string): StatusEvent => ({ at, from, to, reason: "", actor: "engine", traceId: "" });
const attempt = (n: number, attemptedAt: string): Attempt => ({
  id: `x-${n}`,
  attemptNumber: n,
  attemptedAt,
  completedAt: attemptedAt,
  durationMillis: 0,
  status: "SUCCESS",
  deferral: false,
});

test("attempts stand between what came before and what they led to, also within one millisecond", () => {
  const t = "2026-11-18T16:00:00.000Z";
  const later = "2026-11-18T16:01:00.000Z";
  const merged = mergeTimeline([event(t, null, "QUEUED"), event(t, "QUEUED", "RETRY_PENDING"), event(later, "RETRY_PENDING", "SENT")], [attempt(1, t), attempt(2, later)]);
  assert.deepEqual(
    merged.map((moment) => ("attempt" in moment ? moment.attempt.attemptNumber : moment.event.to)),
    ["QUEUED", 1, "RETRY_PENDING", 2, "SENT"],
  );
});
