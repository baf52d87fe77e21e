-- Recipients that were refused, suppressed or bounced wait again. ?1 job. Primary key.
DELETE FROM recipients WHERE job_id = ?1 AND status IN ('refused', 'suppressed', 'bounced')
