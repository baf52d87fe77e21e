-- Retention: the rows of these jobs in outbox. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM outbox WHERE id = ANY ($1::bigint[])
