-- Changes of public states, in the order given, at the transaction's time.
-- $1 jobs, $2 from, $3 to, $4 reasons, $5 actors, $6 trace ids.
INSERT INTO mail_status (job_id, from_state, to_state, reason, actor, trace_id)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
