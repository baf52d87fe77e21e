-- The content of webhook jobs. ?1 rows of: id, client, now, job as JSON, trace id, key or null, payload
INSERT INTO webhooks (id, client_id, created_at, job, trace_id, message_key, payload)
SELECT c1, c2, c3, c4, c5, c6, c7 FROM given(?1)
