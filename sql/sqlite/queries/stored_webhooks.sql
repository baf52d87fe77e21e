-- A webhook job's payload as it lies here. ?1 id. Primary key.
SELECT id, payload FROM webhooks WHERE id = ?1
