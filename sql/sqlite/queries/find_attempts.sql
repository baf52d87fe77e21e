-- Whether an attempt with this token is on record. ?1 job, ?2 token. Primary key.
SELECT 1 FROM attempts WHERE job_id = ?1 AND token = ?2
