-- Retention of the totals. $1 retention in microseconds, $2 rows at most. Primary key.
DELETE FROM flow_minutes f
 USING (SELECT o.minute FROM flow_minutes o ORDER BY o.minute LIMIT $2::int) c
 WHERE f.minute = c.minute AND f.minute < now() - $1::bigint * interval '1 microsecond'
