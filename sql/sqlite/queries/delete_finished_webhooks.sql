-- Retention: a job's row in webhooks. ?1 id. Primary key.
DELETE FROM webhooks WHERE id = ?1
