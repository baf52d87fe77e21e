-- Ids of jobs a provider reported on, newest first. $1 clients, $2 only below, $3 not below, $4 at most, $5 what it
-- said. Needs outbox_reported.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::int[]) AS c (client)
   CROSS JOIN LATERAL (
     SELECT x.id
       FROM outbox x
      WHERE x.client_id = c.client AND x.id < $2::bigint AND x.id >= $3::bigint
        AND x.report IS NOT NULL AND x.report = $5::text
      ORDER BY x.id DESC
      LIMIT $4::int) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
