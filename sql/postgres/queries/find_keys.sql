-- Who holds these idempotency keys. $1 clients, $2 keys. Needs the primary key.
SELECT k.client_id, k.key, k.fingerprint, k.job_id
  FROM unnest($1::int[], $2::text[]) AS x (client_id, key)
  JOIN idempotency_keys k ON k.client_id = x.client_id AND k.key = x.key
