-- What a channel needs of these mails. $1 ids. Needs the primary key.
SELECT m.id, m.sender, m.recipients, m.mime, m.retry, m.on_uncertain, m.trace_id, m.message_key
  FROM messages m
 WHERE m.id = ANY ($1::bigint[])
