-- The recipients of a job that have a result. ?1 job. Primary key.
SELECT job_id, n, status, reply FROM recipients WHERE job_id = ?1 ORDER BY n
