-- Changes of public states, in the order given, at the transaction's time.
-- $1 jobs, $2 from, $3 to, $4 reasons, $5 actors, $6 trace ids, $7 whether a callback waits for the job's changes (null:
-- looked up). A change that a callback waits for is marked. Needs the primary key of outbox.
INSERT INTO mail_status (job_id, from_state, to_state, reason, actor, trace_id, callback)
SELECT x.job_id, x.from_state, x.to_state, x.reason, x.actor, x.trace_id,
       coalesce(x.callback, (SELECT o.callback FROM outbox o WHERE o.id = x.job_id), false)
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[])
       AS x (job_id, from_state, to_state, reason, actor, trace_id, callback)
