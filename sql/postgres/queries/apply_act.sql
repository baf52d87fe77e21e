-- Writes down what an act decided about a job that is locked; a turn in a group is given up unless $7 says that it is
-- kept, and promote_groups follows.
-- $1 id, $2 status, $3 whether the budget starts afresh, $4 dead reason or null, $5 whether this is its end,
-- $6 new life in microseconds of a job that had expired. Needs the primary key.
-- The lease of a scheduler that is just publishing it is over; its next death is to be told.
UPDATE outbox o
   SET status = $2::text, dead_reason = $4::text, holds_group = o.holds_group AND $7::boolean,
       cancelling = false, updated_at = now(), lease_token = NULL,
       told_dead_at = CASE WHEN NOT $3::boolean THEN o.told_dead_at END,
       finished_at = CASE WHEN $5::boolean THEN now() END,
       retry_count = CASE WHEN $3::boolean THEN 0 ELSE o.retry_count END,
       deferrals = CASE WHEN $3::boolean THEN 0 ELSE o.deferrals END,
       losses = CASE WHEN $3::boolean THEN 0 ELSE o.losses END,
       partial = o.partial AND NOT $3::boolean,
       report = CASE WHEN NOT $3::boolean THEN o.report END,
       last_error = CASE WHEN NOT $3::boolean THEN o.last_error END,
       next_attempt_at = CASE WHEN $3::boolean THEN now() ELSE o.next_attempt_at END,
       expires_at = CASE WHEN $3::boolean AND o.expires_at <= now() THEN now() + $6::bigint * interval '1 microsecond'
                         ELSE o.expires_at END
 WHERE o.id = $1::bigint
RETURNING o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at
