-- Status events. ?1 rows of: job, its number or null for the next one, at, from, to, reason, actor, trace id.
-- Primary keys. A change that a callback waits for is marked.
INSERT INTO mail_status (job_id, seq, at, from_state, to_state, reason, actor, trace_id, callback)
SELECT c1, coalesce(c2, (SELECT coalesce(max(s.seq), 0) + 1 FROM mail_status AS s WHERE s.job_id = c1)), c3, c4, c5, c6,
       c7, c8, coalesce((SELECT o.callback FROM outbox AS o WHERE o.id = c1), 0)
FROM given(?1)
