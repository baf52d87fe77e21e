-- A mail's content. ?1 id. Primary key.
SELECT id, sender, recipients, mime, retry, on_uncertain, trace_id, message_key FROM messages WHERE id = ?1
