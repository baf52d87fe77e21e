-- How much is due in each pool since at least $2 and less than $3 microseconds, counted up to $1.
-- Cost: a probe of outbox_ready a lane, and $1 entries a pool at most.
SELECT p.code, d.due
  FROM dispatch_pools p
 CROSS JOIN LATERAL (
   SELECT count(*) AS due
     FROM (SELECT 1
             FROM lanes l
            CROSS JOIN LATERAL (SELECT 1 FROM outbox o
                                 WHERE o.status = 'queued' AND o.lane_id = l.id
                                   AND o.next_attempt_at <= now() - $2::bigint * interval '1 microsecond'
                                   AND o.next_attempt_at > now() - $3::bigint * interval '1 microsecond'
                                 LIMIT $1::int) q
            WHERE l.pool_id = p.id
            LIMIT $1::int) counted) d
 ORDER BY p.code
