-- The same payloads under another key. $1 ids, $2 payloads. Primary key.
UPDATE webhooks w SET payload = n.payload FROM unnest($1::bigint[], $2::text[]) AS n (id, payload) WHERE w.id = n.id
