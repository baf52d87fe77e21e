-- What a report is decided by, beside the row. $1 id. Needs the primary key.
SELECT m.id, m.recipients, m.retry FROM messages m WHERE m.id = $1::bigint
