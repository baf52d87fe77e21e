-- Takes jobs back that a foreign worker claimed through the view and never settled. As rescue_dead, but they carry no
-- token and are old by their own time. One that a foreign scheduler was only publishing has lost nothing.
-- $1 foreign lease in microseconds, $2 rows at most, $3 losses that kill, $4 last error of one that is dead. Needs
-- outbox_leased.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.status IN ('dispatching', 'publishing', 'in_flight') AND q.lease_token IS NULL
     AND coalesce(q.last_attempt_at, q.updated_at) < now() - $1::bigint * interval '1 microsecond'
   LIMIT $2::int
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET lease_token = NULL, updated_at = now(),
       losses = o.losses + (o.status <> 'publishing')::int,
       status = CASE WHEN o.losses + (o.status <> 'publishing')::int >= $3::int THEN 'failed' ELSE 'queued' END,
       dead_reason = CASE WHEN o.losses + (o.status <> 'publishing')::int >= $3::int THEN 'Abandoned' END,
       finished_at = CASE WHEN o.losses + (o.status <> 'publishing')::int >= $3::int THEN now() END,
       last_error = CASE WHEN o.losses + (o.status <> 'publishing')::int >= $3::int THEN coalesce(o.last_error, $4::text)
                         ELSE o.last_error END,
       holds_group = o.holds_group
                     AND (o.losses + (o.status <> 'publishing')::int < $3::int OR o.group_mode = 'BLOCK_ON_ERROR')
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.status, CASE WHEN NOT o.holds_group THEN o.group_id END,
          o.channel, o.retry_count, o.deferrals, o.partial, o.dead_reason
