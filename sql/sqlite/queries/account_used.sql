-- An account was used; a later use that is on record stays. ?1 id, ?2 at
UPDATE service_accounts SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)
