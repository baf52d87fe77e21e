-- A mail's content. ?1 id, ?2 client, ?3 now, ?4 sender, ?5 recipients, ?6 meta, ?7 retry or null, ?8 on_uncertain,
-- ?9 trace id, ?10 key or null, ?11 bytes, ?12 MIME
INSERT INTO messages (id, client_id, created_at, sender, recipients, meta, retry, on_uncertain, trace_id, message_key,
                      bytes, mime)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
