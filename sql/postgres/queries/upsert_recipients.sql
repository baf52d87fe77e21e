-- Results of single recipients. $1 jobs, $2 numbers from 0, $3 status, $4 replies; no pair twice.
INSERT INTO recipients (job_id, n, status, reply)
SELECT unnest($1::bigint[]), unnest($2::int[]), unnest($3::text[]), unnest($4::text[])
ON CONFLICT (job_id, n) DO UPDATE SET status = excluded.status, reply = excluded.reply, updated_at = now()
