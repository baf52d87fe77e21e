-- Retention: the rows of these jobs in recipients. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM recipients WHERE job_id = ANY ($1::bigint[])
