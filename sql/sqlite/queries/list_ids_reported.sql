-- A client's jobs a provider reported on, newest first.
-- ?1 client, ?2 ids below, ?3 ids from, ?4 how many, ?5 report. Index outbox_reported.
SELECT id FROM outbox
WHERE report IS NOT NULL AND client_id = ?1 AND report = ?5 AND id < ?2 AND id >= ?3
ORDER BY id DESC LIMIT ?4
