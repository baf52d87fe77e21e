-- How many jobs are dead for the reason ?2 (null: for none that is known), counted up to ?1. Index outbox_dead_reason: ?1 entries
-- at most.
SELECT coalesce(?2, '') AS reason, count(*) AS dead
FROM (SELECT 1 FROM outbox AS o WHERE o.status = 'failed' AND o.dead_reason IS ?2 LIMIT ?1)
