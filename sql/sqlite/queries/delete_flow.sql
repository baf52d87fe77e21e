-- Retention of the totals. ?1 began before, ?2 how many. Primary key.
DELETE FROM flow_minutes
WHERE minute IN (SELECT o.minute FROM flow_minutes AS o WHERE o.minute < ?1 ORDER BY o.minute LIMIT ?2)
