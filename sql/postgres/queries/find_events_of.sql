-- Every change of a job's public state, in order. $1 id. Needs the primary key.
SELECT e.at, e.from_state, e.to_state, e.reason, e.actor, e.trace_id
  FROM mail_status e
 WHERE e.job_id = $1::bigint
 ORDER BY e.seq
