-- Writes an account as somebody read it and changed it; no row when it was changed since. Its code and id stay.
-- ?1 id, ?2 updated at when it was read, ?3 body (JSON), ?4 updated at from now on
UPDATE service_accounts SET body = ?3, updated_at = ?4 WHERE id = ?1 AND updated_at = ?2
