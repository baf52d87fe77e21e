-- How many groups have a dead job in turn, counted up to ?1. Index outbox_blocking.
SELECT count(*) AS groups
FROM (SELECT 1 FROM outbox AS o INDEXED BY outbox_blocking WHERE o.holds_group = 1 AND o.status = 'failed' LIMIT ?1)
