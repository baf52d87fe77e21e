-- A client's mails, newest first. ?1 client, ?2 ids below, ?3 ids from, ?4 how many. Index messages_client.
SELECT id FROM messages WHERE client_id = ?1 AND id < ?2 AND id >= ?3 ORDER BY id DESC LIMIT ?4
