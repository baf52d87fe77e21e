-- Ends jobs a foreign worker left queued with no attempts left: failed, or sent when some recipient was taken. A dead
-- BLOCK_ON_ERROR job keeps its turn. $1 rows at most. Needs outbox_exhausted. Returns as rescue_dead.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.status = 'queued' AND q.retry_count >= q.max_attempts
   ORDER BY q.id
   LIMIT $1::int
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET status = CASE WHEN o.partial THEN 'sent' ELSE 'failed' END,
       dead_reason = CASE WHEN NOT o.partial THEN 'MaxAttemptsExceeded' END, partial = false,
       finished_at = now(), updated_at = now(),
       holds_group = o.holds_group AND NOT o.partial AND o.group_mode = 'BLOCK_ON_ERROR'
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.status, CASE WHEN NOT o.holds_group THEN o.group_id END,
          o.channel, o.retry_count, o.deferrals, o.partial, o.dead_reason
