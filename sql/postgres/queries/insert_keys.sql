-- Takes idempotency keys: new ones, and those past their day. Returns the jobs whose key is theirs now; the others are
-- read with find_keys in a later statement, which sees the winner. Waits for a twin that is being committed.
-- $1 clients, $2 keys, $3 fingerprints, $4 jobs, sorted by (client, key); $5 lives in microseconds.
INSERT INTO idempotency_keys AS k (client_id, key, fingerprint, job_id, expires_at)
SELECT x.client_id, x.key, x.fingerprint, x.job_id, now() + x.life * interval '1 microsecond'
  FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[])
       AS x (client_id, key, fingerprint, job_id, life)
ON CONFLICT (client_id, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, job_id = excluded.job_id, expires_at = excluded.expires_at
  WHERE k.expires_at <= now()
RETURNING job_id
