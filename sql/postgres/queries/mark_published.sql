-- What became of jobs at the broker: published, or queued again, due after a delay. A row that a worker has started already is
-- no longer its scheduler's, and is not waited for: its worker may hold it while it waits for one that is locked here. One that
-- is being started at this moment is waited for, by id as those who start them do, and looked at again then. The CASE keeps old
-- statistics from turning the plan towards an index on status.
-- $1 ids, $2 tokens, $3 whether the broker has them, $4 delays in microseconds (null: due time stays). Needs the primary key.
WITH held AS MATERIALIZED (
  SELECT q.id, x.published, x.delay
    FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[]) AS x (id, token, published, delay)
    JOIN outbox q ON q.id = x.id
   WHERE CASE WHEN q.status = 'publishing' THEN q.lease_token = x.token ELSE false END
   ORDER BY q.id
     FOR UPDATE OF q
)
UPDATE outbox o
   SET status = CASE WHEN h.published THEN 'published' ELSE 'queued' END, lease_token = NULL, updated_at = now(),
       last_queued_at = CASE WHEN h.published THEN now() ELSE o.last_queued_at END,
       next_attempt_at = CASE WHEN h.published THEN o.next_attempt_at
                              ELSE coalesce(now() + h.delay * interval '1 microsecond', o.next_attempt_at) END
  FROM held h
 WHERE o.id = h.id
