-- What the overview shows of all instances. For operators: the index reads `outbox` once.

-- The latest failed attempt of each lane, among jobs that wait for another: one look a lane, however many wait.
CREATE INDEX outbox_errors ON outbox (lane_id, last_attempt_at)
  WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial = 1) AND last_error IS NOT NULL;

-- What each instance tells the others: how people know it, its breakers (store/breaker_json.h), and the routes whose breakers it is
-- asked to close.
ALTER TABLE instances ADD COLUMN shown_as TEXT NOT NULL DEFAULT '';
ALTER TABLE instances ADD COLUMN breakers TEXT NOT NULL DEFAULT '[]';
ALTER TABLE instances ADD COLUMN resets TEXT NOT NULL DEFAULT '[]';
