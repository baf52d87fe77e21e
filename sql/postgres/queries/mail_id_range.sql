-- The first and the last id of all mails; 0 when there are none. Primary key.
SELECT coalesce((SELECT min(id) FROM messages), 0), coalesce((SELECT max(id) FROM messages), 0)
