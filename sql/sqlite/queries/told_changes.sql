-- A change was handed on. ?1 job, ?2 its number. Primary key.
UPDATE mail_status SET callback = 0 WHERE job_id = ?1 AND seq = ?2
