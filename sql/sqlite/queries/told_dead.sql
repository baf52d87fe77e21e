-- These deaths were told; one of another time, after the job was sent again, is not. ?1 rows of: id, when it died, as untold_dead
-- says. ?2 now. Never earlier than the death, whatever the clock does. Primary key.
UPDATE outbox AS o SET told_dead_at = max(?2, g.c2)
FROM given(?1) AS g
WHERE o.id = g.c1 AND o.status = 'failed' AND coalesce(o.finished_at, o.last_attempt_at, o.created_at) = g.c2
