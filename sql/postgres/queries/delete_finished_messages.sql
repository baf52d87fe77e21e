-- Retention: the rows of these jobs in messages. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM messages WHERE id = ANY ($1::bigint[])
