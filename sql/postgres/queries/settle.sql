-- Writes decisions down, guarded by id and token alone: a late worker matches nothing. No predicate on status: the CHECK
-- on lease_token makes it redundant, and on old statistics it turns the plan. Needs the primary key.
-- $1 ids, $2 tokens, $3 status, $4 retry counts, $5 attempts, $6 deferrals, $7 partial, $8 delays in microseconds
-- (null: due time stays), $9 dead reasons, $10 last errors, $11 whether an attempt is on record.
-- A job that was cancelled while it was leased is not tried again: what would wait is cancelled instead, and its group's
-- turn is given up however it ended. Returns also the status now, and whether a callback waits for its changes.
UPDATE outbox o
   SET status = CASE WHEN o.cancelling AND x.status IN ('queued', 'blocked') THEN 'cancelled' ELSE x.status END,
       lease_token = NULL, retry_count = x.retry_count, attempts = x.attempts,
       deferrals = x.deferrals, partial = x.partial, dead_reason = x.dead_reason, last_error = x.last_error,
       next_attempt_at = coalesce(now() + x.delay * interval '1 microsecond', o.next_attempt_at),
       losses = CASE WHEN x.recorded THEN 0 ELSE o.losses END,
       finished_at = CASE WHEN o.cancelling OR x.status IN ('sent', 'failed', 'cancelled') THEN now() END,
       holds_group = o.holds_group AND NOT o.cancelling AND x.status NOT IN ('blocked', 'sent', 'cancelled')
                     AND (x.status <> 'failed' OR o.group_mode = 'BLOCK_ON_ERROR'),
       cancelling = false, updated_at = now()
  FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::bigint[]) AS token, unnest($3::text[]) AS status,
               unnest($4::int[]) AS retry_count, unnest($5::int[]) AS attempts, unnest($6::int[]) AS deferrals,
               unnest($7::boolean[]) AS partial, unnest($8::bigint[]) AS delay, unnest($9::text[]) AS dead_reason,
               unnest($10::text[]) AS last_error, unnest($11::boolean[]) AS recorded) AS x
 WHERE o.id = x.id AND o.lease_token = x.token
RETURNING o.id, x.token, o.group_id, o.status, o.callback
