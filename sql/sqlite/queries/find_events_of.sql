-- All status events of a job, as they happened. ?1 job. Primary key.
SELECT at, from_state, to_state, reason, actor, trace_id FROM mail_status WHERE job_id = ?1 ORDER BY seq
