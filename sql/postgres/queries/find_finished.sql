-- Jobs past their retention, locked; what others hold is passed over. $1 retention and $2 retention of dead jobs in
-- microseconds, $3 rows at most. Needs outbox_finished and outbox_dead. Returns what their facets are made of.
WITH c AS MATERIALIZED (
  SELECT f.id, f.client_id
    FROM (SELECT q.id, q.client_id
            FROM outbox q
           WHERE q.status IN ('sent', 'cancelled')
             AND coalesce(q.finished_at, q.last_attempt_at, q.created_at) < now() - $1::bigint * interval '1 microsecond'
           ORDER BY coalesce(q.finished_at, q.last_attempt_at, q.created_at)
           LIMIT $3::int
             FOR UPDATE SKIP LOCKED) f
  UNION ALL
  SELECT d.id, d.client_id
    FROM (SELECT q.id, q.client_id
            FROM outbox q
           WHERE q.status = 'failed'
             AND coalesce(q.finished_at, q.last_attempt_at, q.created_at) < now() - $2::bigint * interval '1 microsecond'
           ORDER BY coalesce(q.finished_at, q.last_attempt_at, q.created_at)
           LIMIT $3::int
             FOR UPDATE SKIP LOCKED) d
   LIMIT $3::int
)
SELECT c.id, p.name, (SELECT m.recipients FROM messages m WHERE m.id = c.id),
       (SELECT m.meta FROM messages m WHERE m.id = c.id), (SELECT w.job FROM webhooks w WHERE w.id = c.id)
  FROM c
  JOIN clients p ON p.id = c.client_id
