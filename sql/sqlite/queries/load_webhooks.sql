-- A webhook job's content. ?1 id. Primary key.
SELECT job, trace_id, payload FROM webhooks WHERE id = ?1
