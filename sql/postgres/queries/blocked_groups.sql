-- Groups whose job in turn is dead, the longest blocked first. $1 client or null for all, $2 name of the group or empty
-- for any, $3 groups at most, $4 how far those behind it are counted. Reads outbox_blocking whole: as many rows as
-- people have to look at.
WITH b AS MATERIALIZED (
  SELECT o.id, o.channel, o.client_id, o.group_id, coalesce(o.last_error, '') AS last_error,
         coalesce(o.finished_at, o.last_attempt_at, o.created_at) AS since,
         coalesce(w.job ->> 'messageGroup', m.meta ->> 'group', '') AS name
    FROM outbox o
    LEFT JOIN webhooks w ON w.id = o.id
    LEFT JOIN messages m ON m.id = o.id
   WHERE o.holds_group AND o.status = 'failed'
     AND ($1::text IS NULL OR o.client_id = (SELECT id FROM clients WHERE name = $1::text))
     AND ($2::text = '' OR coalesce(w.job ->> 'messageGroup', m.meta ->> 'group', '') = $2::text)
   ORDER BY since, o.id
   LIMIT $3::int
)
SELECT b.channel, c.name, b.name, b.id, b.last_error, b.since,
       (SELECT count(*)
          FROM (SELECT 1 FROM outbox q WHERE q.status = 'blocked' AND q.group_id = b.group_id LIMIT $4::int) behind)
  FROM b
  JOIN clients c ON c.id = b.client_id
 ORDER BY b.since, b.id
