-- The content of new jobs. $1 ids, $2 clients, $3 sizes, $4 what to do when uncertain, $5 senders, $6 recipients,
-- $7 meta, $8 retry policies (null: the channel's), $9 trace ids, $10 keys (null: none), $11 frozen bytes.
INSERT INTO messages (id, client_id, bytes, on_uncertain, sender, recipients, meta, retry, trace_id, message_key, mime)
SELECT *
  FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::text[], $6::json[], $7::jsonb[], $8::json[],
              $9::text[], $10::text[], $11::bytea[])
