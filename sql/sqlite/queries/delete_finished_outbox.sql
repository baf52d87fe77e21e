-- Retention: a job's rows in outbox. ?1 job. Primary key.
DELETE FROM outbox WHERE id = ?1
