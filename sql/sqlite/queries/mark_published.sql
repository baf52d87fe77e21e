-- What became of jobs at the broker: published, or queued again, due after a delay. A row that a worker has started already is no
-- longer its scheduler's.
-- ?1 rows of: id, token, whether the broker has it, due or null (stays). ?2 now. Primary key.
UPDATE outbox AS o
SET status = iif(g.c3, 'published', 'queued'), lease_token = NULL, updated_at = ?2,
    last_queued_at = iif(g.c3, ?2, o.last_queued_at),
    next_attempt_at = iif(g.c3, o.next_attempt_at, coalesce(g.c4, o.next_attempt_at))
FROM given(?1) AS g
WHERE o.id = g.c1 AND o.lease_token = g.c2 AND o.status = 'publishing'
