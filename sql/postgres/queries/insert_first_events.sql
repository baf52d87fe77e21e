-- The first event of new jobs, at the transaction's time. $1 jobs, $2 actors, $3 trace ids, $4 states, $5 reason.
INSERT INTO mail_status (job_id, to_state, reason, actor, trace_id)
SELECT unnest($1::bigint[]), unnest($4::text[]), $5::text, unnest($2::text[]), unnest($3::text[])
