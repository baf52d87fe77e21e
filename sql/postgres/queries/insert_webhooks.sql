-- The content of new webhook jobs. $1 ids, $2 clients, $3 jobs as JSON, $4 trace ids, $5 keys (null: none), $6 payloads,
-- $7 first public states.
INSERT INTO webhooks (id, client_id, job, trace_id, message_key, payload, accepted_as)
SELECT unnest($1::bigint[]), unnest($2::int[]), unnest($3::json[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::text[]), unnest($7::text[])
