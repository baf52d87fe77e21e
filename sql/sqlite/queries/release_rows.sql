-- Hands a row back whose claim's answer was lost; burns nothing, and a grouped row keeps its turn.
-- ?1 id, ?2 and ?3 the epoch's first and last token, ?4 now. Primary key.
UPDATE outbox SET status = 'queued', lease_token = NULL, updated_at = ?4
WHERE id = ?1 AND lease_token BETWEEN ?2 AND ?3
