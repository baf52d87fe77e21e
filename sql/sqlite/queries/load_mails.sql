-- A mail's content. ?1 id. The last column is the client when it has a suppression list to be asked. Primary keys.
SELECT m.id, m.sender, m.recipients, m.mime, m.retry, m.on_uncertain, m.trace_id, m.message_key,
       CASE WHEN EXISTS (SELECT 1 FROM suppressions AS u WHERE u.client_id = m.client_id) THEN m.client_id END
FROM messages AS m
WHERE m.id = ?1
