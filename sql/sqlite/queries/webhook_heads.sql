-- How the next webhook jobs' payloads lie here. ?1 after this id, ?2 the head asked for in hex, ?3 how many. Primary key.
SELECT id, lower(hex(substr(payload, 1, 9))) = ?2, length(payload) FROM webhooks WHERE id > ?1 ORDER BY id LIMIT ?3
