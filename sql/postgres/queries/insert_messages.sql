-- The content of new jobs. $1 ids, $2 clients, $3 sizes, $4 what to do when uncertain, $5 senders, $6 recipients,
-- $7 meta, $8 retry policies (null: the channel's), $9 trace ids, $10 keys (null: none), $11 frozen bytes,
-- $12 first public states.
INSERT INTO messages (id, client_id, bytes, on_uncertain, sender, recipients, meta, retry, trace_id, message_key, mime,
                      accepted_as)
SELECT unnest($1::bigint[]), unnest($2::int[]), unnest($3::int[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::json[]), unnest($7::jsonb[]), unnest($8::json[]), unnest($9::text[]), unnest($10::text[]),
       unnest($11::bytea[]), unnest($12::text[])
