-- Takes idempotency keys: new ones, and those past their day. Returns the jobs whose key is theirs now; the others are
-- read with find_keys in a later statement, which sees the winner. Waits for a twin that is being committed.
-- $1 clients, $2 keys, $3 fingerprints, $4 jobs, sorted by (client, key); $5 lives in microseconds.
INSERT INTO idempotency_keys AS k (client_id, key, fingerprint, job_id, expires_at)
SELECT x.client_id, x.key, x.fingerprint, x.job_id, now() + x.life * interval '1 microsecond'
  FROM (SELECT unnest($1::int[]) AS client_id, unnest($2::text[]) AS key, unnest($3::bytea[]) AS fingerprint,
               unnest($4::bigint[]) AS job_id, unnest($5::bigint[]) AS life) AS x
ON CONFLICT (client_id, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, job_id = excluded.job_id, expires_at = excluded.expires_at
  WHERE k.expires_at <= now()
RETURNING job_id
