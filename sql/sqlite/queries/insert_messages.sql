-- The content of mails. ?1 rows of: id, client, now, sender, recipients, meta, retry or null, on_uncertain, trace id,
-- key or null, bytes, MIME
INSERT INTO messages (id, client_id, created_at, sender, recipients, meta, retry, on_uncertain, trace_id, message_key,
                      bytes, mime)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12 FROM given(?1)
