-- How the next mails lie here. ?1 after this id, ?2 the head asked for in hex, ?3 how many. Primary key.
SELECT id, lower(hex(substr(mime, 1, 6))) = ?2, length(mime) FROM messages WHERE id > ?1 ORDER BY id LIMIT ?3
