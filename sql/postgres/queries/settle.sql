-- Writes decisions down, guarded by id and token alone: a late worker matches nothing. No predicate on status: the CHECK
-- on lease_token makes it redundant, and on old statistics it turns the plan. Needs the primary key.
-- $1 ids, $2 tokens, $3 status, $4 retry counts, $5 attempts, $6 deferrals, $7 partial, $8 delays in microseconds
-- (null: due time stays), $9 dead reasons, $10 last errors.
-- The attempts go on record with what they changed; who matched nothing has none. $11 whether there is one, $12 numbers,
-- $13 started, $14 completed, $15 duration in milliseconds, $16 status, $17 routes, $18 codes, $19 verdicts, $20 SMTP codes,
-- $21 enhanced codes, $22 HTTP codes, $23 messages, $24 error types, $25 deferral, $26 provider's ids, $27 response bodies,
-- $28 diagnostics.
-- $29 and $30: the public state before and after (null: it stays), $31 reasons, $32 whose doing. A change that a callback waits
-- for, or that has no attempt, is an event of its own.
-- A job that was cancelled while it was leased is not tried again: what would wait is cancelled instead, and its group's
-- turn is given up however it ended; $33, $34 and $35 are its states before (where none is given) and after, and the reason.
-- Returns also the status now.
WITH settled AS (
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
                 unnest($10::text[]) AS last_error, unnest($11::boolean[]) AS recorded, unnest($12::int[]) AS number,
                 unnest($13::timestamptz[]) AS attempted_at, unnest($14::timestamptz[]) AS completed_at,
                 unnest($15::bigint[]) AS duration_ms, unnest($16::text[]) AS attempt_status, unnest($17::text[]) AS route,
                 unnest($18::text[]) AS code, unnest($19::text[]) AS verdict, unnest($20::int[]) AS smtp_code,
                 unnest($21::text[]) AS enhanced_code, unnest($22::int[]) AS response_code,
                 unnest($23::text[]) AS error_message, unnest($24::text[]) AS error_type,
                 unnest($25::boolean[]) AS deferral, unnest($26::text[]) AS provider_message_id,
                 unnest($27::text[]) AS response_body, unnest($28::text[]) AS diagnostic,
                 unnest($29::text[]) AS from_state, unnest($30::text[]) AS to_state, unnest($31::text[]) AS reason) AS x
   WHERE o.id = x.id AND o.lease_token = x.token
  RETURNING o.id, x.token, o.group_id, o.status, x.recorded, x.number, x.attempted_at, x.completed_at, x.duration_ms,
            x.attempt_status, x.route, x.code, x.verdict, x.smtp_code, x.enhanced_code, x.response_code, x.error_message,
            x.error_type, x.deferral, x.provider_message_id, x.response_body, x.diagnostic,
            CASE WHEN o.status = 'cancelled' THEN coalesce(x.from_state, $33::text) ELSE x.from_state END AS from_state,
            CASE WHEN o.status = 'cancelled' THEN $34::text ELSE x.to_state END AS to_state,
            CASE WHEN o.status = 'cancelled' THEN $35::text ELSE x.reason END AS reason,
            o.callback, o.callback OR NOT x.recorded AS apart
), recorded AS (
  INSERT INTO attempts (job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
                        smtp_code, enhanced_code, response_code, error_message, error_type, deferral,
                        provider_message_id, response_body, diagnostic, changed_at, changed_seq, from_state, to_state,
                        change_reason)
  SELECT s.id, s.token, s.number, s.attempted_at, s.completed_at, s.duration_ms, s.attempt_status, s.route, s.code, s.verdict,
         s.smtp_code, s.enhanced_code, s.response_code, s.error_message, s.error_type, s.deferral,
         s.provider_message_id, s.response_body, s.diagnostic,
         CASE WHEN s.to_state IS NOT NULL AND NOT s.apart THEN now() END,
         CASE WHEN s.to_state IS NOT NULL AND NOT s.apart THEN nextval('status_changes_seq') END,
         CASE WHEN NOT s.apart THEN s.from_state END, CASE WHEN NOT s.apart THEN s.to_state END,
         CASE WHEN NOT s.apart THEN s.reason END
    FROM settled s
   WHERE s.recorded
), told AS (
  INSERT INTO status_changes (job_id, from_state, to_state, reason, actor, trace_id, callback)
  SELECT s.id, s.from_state, s.to_state, s.reason, $32::text,
         coalesce((SELECT m.trace_id FROM messages m WHERE m.id = s.id),
                  (SELECT w.trace_id FROM webhooks w WHERE w.id = s.id), ''),
         s.callback
    FROM settled s
   WHERE s.apart AND s.to_state IS NOT NULL
)
SELECT s.id, s.token, s.group_id, s.status FROM settled s
