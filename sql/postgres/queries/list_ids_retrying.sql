-- Ids of jobs that failed or were deferred and go on, newest first. $1 clients, $2 only below, $3 not below, $4 at
-- most. Needs outbox_retrying.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::int[]) AS c (client)
   CROSS JOIN LATERAL (
     SELECT x.id
       FROM outbox x
      WHERE x.client_id = c.client AND x.id < $2::bigint AND x.id >= $3::bigint
        AND (x.retry_count > 0 OR x.deferrals > 0 OR x.partial)
        AND x.status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight')
      ORDER BY x.id DESC
      LIMIT $4::int) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
