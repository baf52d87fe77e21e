-- A webhook job's content. ?1 id. Primary key.
SELECT id, job, trace_id, payload FROM webhooks WHERE id = ?1
