-- Writes down what a report decided about a mail that is locked. Whatever it becomes, it has no turn in its group; where it had
-- one, promote_groups follows.
-- $1 id, $2 status, $3 report or null, $4 dead reason or null, $5 retry count, $6 partial, $7 delay in microseconds or null,
-- $8 last error or null, $9 whether it is at its end. Needs the primary key.
UPDATE outbox o
   SET status = $2::text, report = $3::text, dead_reason = $4::text, retry_count = $5::int, partial = $6::boolean,
       next_attempt_at = coalesce(now() + $7::bigint * interval '1 microsecond', o.next_attempt_at),
       last_error = $8::text, deferrals = CASE WHEN $9::boolean THEN o.deferrals ELSE 0 END,
       finished_at = CASE WHEN NOT $9::boolean THEN NULL WHEN o.status <> $2::text THEN now()
                          ELSE o.finished_at END,
       holds_group = false, updated_at = now()
 WHERE o.id = $1::bigint
