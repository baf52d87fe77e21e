-- The error of each pool's latest failed attempt, among jobs that wait for another. Index outbox_errors: a probe a lane, one row;
-- the other columns are those of the row with the maximum.
SELECT p.code, o.last_error, max(o.last_attempt_at)
FROM dispatch_pools AS p
JOIN lanes AS l ON l.pool_id = p.id
JOIN outbox AS o ON o.id = (SELECT e.id FROM outbox AS e
                            WHERE e.status = 'queued' AND (e.retry_count > 0 OR e.deferrals > 0 OR e.partial = 1)
                              AND e.last_error IS NOT NULL AND e.lane_id = l.id AND e.last_attempt_at IS NOT NULL
                            ORDER BY e.last_attempt_at DESC LIMIT 1)
GROUP BY p.code
