-- Ids of jobs that failed, for good or so far, newest first. $1 clients, $2 only below, $3 not below, $4 at most. Needs
-- outbox_ended and outbox_retrying. The status hides in a sub-select for the reason in list_ids_ended.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::int[]) AS c (client)
   CROSS JOIN LATERAL (
     (SELECT x.id
        FROM outbox x
       WHERE x.client_id = c.client AND x.id < $2::bigint AND x.id >= $3::bigint
         AND x.status IN ('failed', 'cancelled') AND x.status = (SELECT 'failed')
       ORDER BY x.id DESC
       LIMIT $4::int)
     UNION ALL
     (SELECT y.id
        FROM outbox y
       WHERE y.client_id = c.client AND y.id < $2::bigint AND y.id >= $3::bigint
         AND (y.retry_count > 0 OR y.deferrals > 0 OR y.partial)
         AND y.status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight')
       ORDER BY y.id DESC
       LIMIT $4::int)) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
