-- The mail of this id. ?1 id. Primary key.
SELECT o.id FROM outbox AS o WHERE o.id = ?1 AND o.channel = 'mail'
