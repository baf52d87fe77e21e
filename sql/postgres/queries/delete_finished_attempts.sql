-- Retention: the rows of these jobs in attempts. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM attempts WHERE job_id = ANY ($1::bigint[])
