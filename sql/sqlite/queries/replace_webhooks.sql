-- The same payload under another key. ?1 id, ?2 payload. Primary key.
UPDATE webhooks SET payload = ?2 WHERE id = ?1
