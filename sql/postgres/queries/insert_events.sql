-- Changes of public states, in the order given, at the transaction's time.
-- $1 jobs, $2 from, $3 to, $4 reasons, $5 actors, $6 trace ids, $7 whether a callback waits for the job's changes (null:
-- looked up). A change that a callback waits for is marked. Needs the primary key of outbox.
INSERT INTO status_changes (job_id, from_state, to_state, reason, actor, trace_id, callback)
SELECT x.job_id, x.from_state, x.to_state, x.reason, x.actor, x.trace_id,
       coalesce(x.callback, (SELECT o.callback FROM outbox o WHERE o.id = x.job_id), false)
  FROM (SELECT unnest($1::bigint[]) AS job_id, unnest($2::text[]) AS from_state, unnest($3::text[]) AS to_state,
               unnest($4::text[]) AS reason, unnest($5::text[]) AS actor, unnest($6::text[]) AS trace_id,
               unnest($7::boolean[]) AS callback) AS x
