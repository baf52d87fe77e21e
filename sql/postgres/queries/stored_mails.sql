-- These mails' contents as they lie here. $1 ids. Primary key.
SELECT id, mime, meta FROM messages WHERE id = ANY ($1::bigint[])
