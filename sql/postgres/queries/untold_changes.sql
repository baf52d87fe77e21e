-- Changes of public states that callbacks wait for, oldest first. $1 at most. Needs mail_status_callback.
SELECT s.job_id, s.seq, s.at, s.from_state, s.to_state, s.reason, s.actor, s.trace_id
  FROM status_changes s
 WHERE s.callback
 ORDER BY s.seq
 LIMIT $1::int
