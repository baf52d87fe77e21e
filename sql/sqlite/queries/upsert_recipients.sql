-- Recipients' results. ?1 rows of: job, place in the envelope, status, reply, now. Primary key.
INSERT INTO recipients (job_id, n, status, reply, updated_at)
SELECT c1, c2, c3, c4, c5 FROM given(?1) WHERE true
ON CONFLICT (job_id, n) DO UPDATE
SET status = excluded.status, reply = excluded.reply, updated_at = excluded.updated_at
