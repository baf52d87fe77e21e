-- Takes jobs back that have been in the broker for too long: a lost message, or one that nobody could take. Due as they were;
-- nothing is lost or burnt. What somebody holds is being started, and passed over.
-- $1 how long is too long in microseconds, $2 rows at most. Needs outbox_published. Returns as rescue_dead.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.status = 'published' AND q.last_queued_at < now() - $1::bigint * interval '1 microsecond'
   ORDER BY q.last_queued_at
   LIMIT $2::int
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET status = 'queued', updated_at = now()
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.status, CASE WHEN NOT o.holds_group THEN o.group_id END,
          o.channel, o.retry_count, o.deferrals, o.partial, o.dead_reason
