-- The same content under another key. ?1 id, ?2 MIME bytes, ?3 meta. Primary key.
UPDATE messages SET mime = ?2, meta = ?3 WHERE id = ?1
