-- Retention: a job's rows in recipients. ?1 job. Primary key.
DELETE FROM recipients WHERE job_id = ?1
