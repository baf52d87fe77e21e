-- How many jobs are dead for each of the reasons $2, counted up to $1, and how many for none that is known (''). Needs
-- outbox_dead_reason: $1 entries a reason at most.
SELECT r.reason, d.dead
  FROM unnest($2::text[]) AS r (reason)
 CROSS JOIN LATERAL (
   SELECT count(*) AS dead
     FROM (SELECT 1
             FROM outbox o
            WHERE (o.status = 'failed') IS TRUE AND o.dead_reason = r.reason
            LIMIT $1::int) counted) d
UNION ALL
SELECT '', count(*)
  FROM (SELECT 1 FROM outbox o WHERE (o.status = 'failed') IS TRUE AND o.dead_reason IS NULL LIMIT $1::int) unnamed
