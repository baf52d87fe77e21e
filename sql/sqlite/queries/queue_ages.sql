-- How much is due in each pool since ?2 or before, but after ?3, counted up to ?1.
-- Index outbox_ready: a probe a lane, and ?1 entries a pool at most.
SELECT p.code,
       (SELECT count(*) FROM (SELECT 1 FROM lanes AS l CROSS JOIN outbox AS o
                              WHERE l.pool_id = p.id AND o.status = 'queued' AND o.lane_id = l.id
                                AND o.next_attempt_at <= ?2 AND o.next_attempt_at > ?3 LIMIT ?1)) AS due
FROM dispatch_pools AS p
ORDER BY p.code
