-- The provider's latest id for a job. ?1 job. Primary key.
SELECT job_id, provider_message_id FROM attempts
WHERE job_id = ?1 AND provider_message_id <> '' ORDER BY number DESC LIMIT 1
