-- These deaths were told; one of another time, after the job was sent again, is not. A row that somebody holds is passed over,
-- and told once more. Never earlier than the death, whatever the clock does. The CASE keeps old statistics from turning the plan
-- towards an index on status. $1 ids, $2 when they died, as untold_dead says. Needs the primary key.
WITH held AS MATERIALIZED (
  SELECT q.id, x.died_at
    FROM unnest($1::bigint[], $2::timestamptz[]) AS x (id, died_at)
    JOIN outbox q ON q.id = x.id
   WHERE CASE WHEN q.status = 'failed' THEN coalesce(q.finished_at, q.last_attempt_at, q.created_at) = x.died_at
              ELSE false END
     FOR UPDATE OF q SKIP LOCKED
)
UPDATE outbox o
   SET told_dead_at = greatest(now(), h.died_at)
  FROM held h
 WHERE o.id = h.id
