-- The error of each pool's latest failed attempt, among jobs that wait for another. Needs outbox_errors: a probe a lane, one row.
SELECT DISTINCT ON (p.code) p.code, e.last_error, e.last_attempt_at
  FROM dispatch_pools p
  JOIN lanes l ON l.pool_id = p.id
 CROSS JOIN LATERAL (
   SELECT o.last_error, o.last_attempt_at
     FROM outbox o
    WHERE o.status = 'queued' AND (o.retry_count > 0 OR o.deferrals > 0 OR o.partial) AND o.last_error IS NOT NULL
      AND o.lane_id = l.id AND o.last_attempt_at IS NOT NULL
    ORDER BY o.last_attempt_at DESC
    LIMIT 1) e
 ORDER BY p.code, e.last_attempt_at DESC
