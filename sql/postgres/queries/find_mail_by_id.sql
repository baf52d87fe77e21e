-- The mail of this id. $1 id. Needs the primary key.
SELECT o.id FROM outbox o WHERE o.id = $1::bigint AND o.channel = 'mail'
