-- Who has a key. ?1 client id, ?2 key. Primary key.
SELECT job_id, fingerprint FROM idempotency_keys WHERE client_id = ?1 AND key = ?2
