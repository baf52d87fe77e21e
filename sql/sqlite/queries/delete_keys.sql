-- Removes keys whose day is over. ?1 now, ?2 how many. Index idempotency_keys_expiry.
DELETE FROM idempotency_keys
WHERE (client_id, key) IN (SELECT k.client_id, k.key FROM idempotency_keys AS k
                           WHERE k.expires_at <= ?1 ORDER BY k.expires_at LIMIT ?2)
