-- Results of single recipients. $1 jobs, $2 numbers from 0, $3 status, $4 replies; no pair twice.
INSERT INTO recipients (job_id, n, status, reply)
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[])
ON CONFLICT (job_id, n) DO UPDATE SET status = excluded.status, reply = excluded.reply, updated_at = now()
