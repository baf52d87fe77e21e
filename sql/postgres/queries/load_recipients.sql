-- The results of these jobs' recipients so far. $1 ids. Needs the primary key.
SELECT r.job_id, r.n, r.status, r.reply FROM recipients r WHERE r.job_id = ANY ($1::bigint[])
