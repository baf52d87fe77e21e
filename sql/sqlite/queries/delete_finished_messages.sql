-- Retention: a job's rows in messages. ?1 job. Primary key.
DELETE FROM messages WHERE id = ?1
