-- The latest error of each pool, among the ?1 jobs that failed and are tried again the latest, and after ?2.
-- Index outbox_retries; the other columns are those of the row with the maximum.
SELECT p.code, r.last_error, max(r.last_attempt_at)
FROM (SELECT lane_id, last_error, last_attempt_at FROM outbox
      WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial = 1) AND next_attempt_at > ?2
      ORDER BY next_attempt_at DESC LIMIT ?1) AS r
JOIN lanes AS l ON l.id = r.lane_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
WHERE r.last_error IS NOT NULL
GROUP BY p.code
