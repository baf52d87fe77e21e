-- A client's failed or cancelled jobs, newest first.
-- ?1 client, ?2 ids below, ?3 ids from, ?4 how many, ?5 status. Index outbox_ended; its own predicate makes it usable.
SELECT id FROM outbox
WHERE status IN ('failed', 'cancelled') AND client_id = ?1 AND status = ?5 AND id < ?2 AND id >= ?3
ORDER BY id DESC LIMIT ?4
