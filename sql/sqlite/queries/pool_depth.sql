-- How much waits in each pool, counted up to ?1, and since when the oldest due job waits; ?2 now.
-- Index outbox_ready: a probe a lane, and ?1 entries a pool at most.
SELECT p.code,
       (SELECT count(*) FROM (SELECT 1 FROM lanes AS l CROSS JOIN outbox AS o
                              WHERE l.pool_id = p.id AND o.status = 'queued' AND o.lane_id = l.id LIMIT ?1)),
       (SELECT min((SELECT min(o.next_attempt_at) FROM outbox AS o
                    WHERE o.status = 'queued' AND o.lane_id = l.id AND o.next_attempt_at <= ?2))
        FROM lanes AS l WHERE l.pool_id = p.id)
FROM dispatch_pools AS p
ORDER BY p.code
