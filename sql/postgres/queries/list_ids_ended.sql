-- Ids of jobs that failed or were cancelled, newest first. $1 clients, $2 only below, $3 not below, $4 at most, $5
-- which of the two. Needs outbox_ended.
-- The status hides in a sub-select, or a plan made for 'failed' would read all of outbox_dead instead.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::int[]) AS c (client)
   CROSS JOIN LATERAL (
     SELECT x.id
       FROM outbox x
      WHERE x.client_id = c.client AND x.id < $2::bigint AND x.id >= $3::bigint
        AND x.status IN ('failed', 'cancelled') AND x.status = (SELECT $5::text)
      ORDER BY x.id DESC
      LIMIT $4::int) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
