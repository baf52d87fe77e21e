-- Retention: a job's rows in delivery_reports. ?1 job. Index delivery_reports_job.
DELETE FROM delivery_reports WHERE job_id = ?1
