-- Claims one job whatever its due time, if it is queued and nobody holds it. $1 id, $2 token. Needs the primary key.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.id = $1::bigint AND q.status = 'queued' AND q.retry_count < q.max_attempts
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET status = 'dispatching', lease_token = $2::bigint, last_attempt_at = now()
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at,
          o.group_id IS NOT NULL
