-- Makes the running attempt of a leased job its last; settle and rescue do the rest. $1 id, which is locked. Needs the
-- primary key.
UPDATE outbox o
   SET cancelling = true, updated_at = now()
 WHERE o.id = $1::bigint
RETURNING o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at
