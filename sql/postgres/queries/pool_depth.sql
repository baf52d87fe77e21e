-- How much waits in each pool, counted up to $1, and since when the oldest due job waits.
-- Cost: a probe of outbox_ready a lane, and $1 entries a pool at most.
SELECT p.code, d.depth, t.oldest
  FROM dispatch_pools p
 CROSS JOIN LATERAL (
   SELECT count(*) AS depth
     FROM (SELECT 1
             FROM lanes l
            CROSS JOIN LATERAL (SELECT 1 FROM outbox o
                                 WHERE o.status = 'queued' AND o.lane_id = l.id LIMIT $1::int) q
            WHERE l.pool_id = p.id
            LIMIT $1::int) counted) d
 CROSS JOIN LATERAL (
   SELECT min(q.next_attempt_at) AS oldest
     FROM lanes l
    CROSS JOIN LATERAL (SELECT o.next_attempt_at FROM outbox o
                         WHERE o.status = 'queued' AND o.lane_id = l.id AND o.next_attempt_at <= now()
                         ORDER BY o.next_attempt_at LIMIT 1) q
    WHERE l.pool_id = p.id) t
 ORDER BY p.code
