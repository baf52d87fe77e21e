-- Retention: the rows of these jobs in mail_status. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM mail_status WHERE job_id = ANY ($1::bigint[])
