-- Takes an Idempotency-Key: a new one, or one whose day is over.
-- ?1 client id, ?2 key, ?3 fingerprint, ?4 job id, ?5 end of its day, ?6 now. Primary key. No row changed: not mine.
INSERT INTO idempotency_keys (client_id, key, fingerprint, job_id, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (client_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, job_id = excluded.job_id, expires_at = excluded.expires_at
WHERE idempotency_keys.expires_at <= ?6
