-- Status events. ?1 rows of: job, at, from, to, reason, actor, trace id, whether a callback waits for the job's changes
-- (null: looked up). Primary keys. A change that a callback waits for is marked.
INSERT INTO mail_status (job_id, seq, at, from_state, to_state, reason, actor, trace_id, callback)
SELECT c1, (SELECT coalesce(max(s.seq), 0) + 1 FROM mail_status AS s WHERE s.job_id = c1), c2, c3, c4, c5, c6, c7,
       coalesce(c8, (SELECT o.callback FROM outbox AS o WHERE o.id = c1), 0)
FROM given(?1)
