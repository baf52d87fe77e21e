-- A mail's content as it lies here. ?1 id. Primary key.
SELECT id, mime, meta FROM messages WHERE id = ?1
