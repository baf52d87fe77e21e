-- Leases due jobs of some lanes to a scheduler, oldest first, passing over rows that others hold. As claim_due, but no attempt
-- begins: last_attempt_at stays.
-- $1 lanes, $2 how many of each, $3 where each lane's scan starts, $4 token. Needs outbox_ready and the primary keys.
-- Returns also whether it was handed to the broker for this very attempt before, and its key or null.
WITH c AS MATERIALIZED (
  SELECT j.ctid
    FROM unnest((SELECT $1::int[]), (SELECT $2::int[]), (SELECT $3::timestamptz[])) AS l (lane, n, low)
   CROSS JOIN LATERAL (
     SELECT q.ctid
       FROM outbox q
      WHERE q.status = 'queued' AND q.lane_id = l.lane AND q.next_attempt_at >= l.low AND q.next_attempt_at <= now()
        AND q.retry_count < q.max_attempts
      ORDER BY q.next_attempt_at, q.id
      LIMIT l.n
        FOR UPDATE SKIP LOCKED) j
)
UPDATE outbox o
   SET status = 'publishing', lease_token = $4::bigint
 WHERE o.ctid = ANY (ARRAY (SELECT ctid FROM c))
RETURNING o.id, o.lane_id, o.channel, o.retry_count, o.attempts, o.next_attempt_at, o.group_id,
          o.last_queued_at IS NOT NULL AND coalesce(o.last_attempt_at < o.last_queued_at, true),
          CASE WHEN o.channel = 'mail' THEN (SELECT m.message_key FROM messages m WHERE m.id = o.id)
               ELSE (SELECT w.message_key FROM webhooks w WHERE w.id = o.id) END
