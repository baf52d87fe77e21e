-- Idempotency keys past their day. $1 rows at most. Needs idempotency_keys_expiry and the primary key.
WITH c AS MATERIALIZED (
  SELECT k.client_id, k.key
    FROM idempotency_keys k
   WHERE k.expires_at <= now()
   ORDER BY k.expires_at
   LIMIT $1::int
     FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_keys k USING c WHERE k.client_id = c.client_id AND k.key = c.key
