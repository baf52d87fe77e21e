-- The latest error of each pool, among the $1 jobs that failed and are tried again the latest. Needs outbox_retry_due.
WITH r AS MATERIALIZED (
  SELECT o.lane_id, o.last_error, o.last_attempt_at
    FROM outbox o
   WHERE o.status = 'queued' AND (o.retry_count > 0 OR o.deferrals > 0 OR o.partial)
   ORDER BY o.next_attempt_at DESC
   LIMIT $1::int
)
SELECT DISTINCT ON (p.code) p.code, r.last_error, r.last_attempt_at
  FROM r
  JOIN lanes l ON l.id = r.lane_id
  JOIN dispatch_pools p ON p.id = l.pool_id
 WHERE r.last_error IS NOT NULL
 ORDER BY p.code, r.last_attempt_at DESC
