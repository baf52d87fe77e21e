-- What a channel needs of these mails. $1 ids. The last column is the client when it has a suppression list to be asked.
-- Needs the primary keys.
SELECT m.id, m.sender, m.recipients, m.mime, m.retry, m.on_uncertain, m.trace_id, m.message_key,
       CASE WHEN EXISTS (SELECT 1 FROM suppressions u WHERE u.client_id = m.client_id) THEN m.client_id END
  FROM messages m
 WHERE m.id = ANY ($1::bigint[])
