-- The content of new webhook jobs. $1 ids, $2 clients, $3 jobs as JSON, $4 trace ids, $5 keys (null: none), $6 payloads.
INSERT INTO webhooks (id, client_id, job, trace_id, message_key, payload)
SELECT * FROM unnest($1::bigint[], $2::int[], $3::json[], $4::text[], $5::text[], $6::text[])
