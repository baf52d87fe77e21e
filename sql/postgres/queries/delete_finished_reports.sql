-- Retention: the rows of these jobs in delivery_reports. $1 ids, locked by find_finished. Needs delivery_reports_job.
DELETE FROM delivery_reports WHERE job_id = ANY ($1::bigint[])
