-- Retention: the rows of these jobs in status_changes. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM status_changes WHERE job_id = ANY ($1::bigint[])
