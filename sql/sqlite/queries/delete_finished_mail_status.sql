-- Retention: a job's rows in mail_status. ?1 job. Primary key.
DELETE FROM mail_status WHERE job_id = ?1
