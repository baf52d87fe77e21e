-- A recipient's result. ?1 job, ?2 its place in the envelope, ?3 status, ?4 reply, ?5 now. Primary key.
INSERT INTO recipients (job_id, n, status, reply, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (job_id, n) DO UPDATE
SET status = excluded.status, reply = excluded.reply, updated_at = excluded.updated_at
