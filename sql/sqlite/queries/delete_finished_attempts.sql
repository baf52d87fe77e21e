-- Retention: a job's rows in attempts. ?1 job. Primary key.
DELETE FROM attempts WHERE job_id = ?1
