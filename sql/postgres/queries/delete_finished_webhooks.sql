-- Retention: the rows of these jobs in webhooks. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM webhooks WHERE id = ANY ($1::bigint[])
