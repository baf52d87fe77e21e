-- The first event of new jobs, at the transaction's time. $1 jobs, $2 actors, $3 trace ids, $4 states, $5 reason.
INSERT INTO mail_status (job_id, to_state, reason, actor, trace_id)
SELECT x.job_id, x.state, $5::text, x.actor, x.trace_id
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS x (job_id, actor, trace_id, state)
