-- A status event. ?1 job, ?2 its number or null for the next one, ?3 at, ?4 from, ?5 to, ?6 reason, ?7 actor, ?8 trace id.
-- Primary key.
INSERT INTO mail_status (job_id, seq, at, from_state, to_state, reason, actor, trace_id)
VALUES (?1, coalesce(?2, (SELECT coalesce(max(seq), 0) + 1 FROM mail_status WHERE job_id = ?1)), ?3, ?4, ?5, ?6, ?7, ?8)
