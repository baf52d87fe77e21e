-- Changes of public states that callbacks wait for, those of a job in their order. ?1 at most. Index mail_status_callback,
-- which the empty condition on the job makes a search of.
SELECT job_id, seq, at, from_state, to_state, reason, actor, trace_id
FROM mail_status WHERE callback = 1 AND job_id > 0 ORDER BY job_id, seq LIMIT ?1
