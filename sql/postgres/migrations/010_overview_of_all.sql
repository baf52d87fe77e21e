-- What the overview shows of all instances. For operators: the index reads `outbox` once, which holds up writers for seconds per
-- million rows.

-- The latest failed attempt of each lane, among jobs that wait for another: one look a lane, however many wait.
CREATE INDEX outbox_errors ON outbox (lane_id, last_attempt_at)
  WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial) AND last_error IS NOT NULL;

-- What each instance tells the others: how people know it, its breakers (store/breaker_json.h), and the routes whose breakers it is
-- asked to close. Added in an instant.
ALTER TABLE instances
  ADD COLUMN shown_as text NOT NULL DEFAULT '',
  ADD COLUMN breakers jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN resets jsonb NOT NULL DEFAULT '[]';
