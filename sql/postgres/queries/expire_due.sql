-- Ends jobs past their time that nobody holds: failed (Expired), or sent when some recipient was taken. Their group goes
-- on. $1 rows at most. Needs outbox_expiry. Returns as rescue_dead.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.expires_at IS NOT NULL AND q.expires_at <= now() AND q.status IN ('queued', 'blocked', 'published')
   ORDER BY q.expires_at
   LIMIT $1::int
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET status = CASE WHEN o.partial THEN 'sent' ELSE 'failed' END,
       dead_reason = CASE WHEN NOT o.partial THEN 'Expired' END, partial = false, holds_group = false,
       last_error = CASE WHEN o.channel = 'webhook' THEN 'EXPIRED' ELSE coalesce(o.last_error, 'expired') END, finished_at = now(), updated_at = now()
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.status, CASE WHEN NOT o.holds_group THEN o.group_id END,
          o.channel, o.retry_count, o.deferrals, o.partial, o.dead_reason
