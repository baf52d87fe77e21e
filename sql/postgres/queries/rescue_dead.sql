-- Takes jobs back from an epoch whose life is over; at the last loss allowed they are dead. Burns no attempt, the due
-- time stays. One that was cancelled while it was leased is cancelled now. Rows that somebody holds are passed over.
-- One that was only being published has lost nothing: nobody had begun with it, so it is no loss, and its mail is not spared.
-- $1 first token, $2 last token, $3 rows at most, $4 losses that kill, $5 last error of one that is dead, $6 true: not the mails, $7 jobs to leave alone. Needs outbox_leased.
-- Returns job, lane, status now, the group when the job has no turn in it now, and what its states are made of.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.status IN ('dispatching', 'publishing', 'in_flight')
     AND q.lease_token BETWEEN $1::bigint AND $2::bigint
     AND (NOT $6::boolean OR q.channel <> 'mail' OR q.status = 'publishing')
     AND q.id <> ALL ($7::bigint[])
   ORDER BY q.lease_token
   LIMIT $3::int
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET lease_token = NULL, updated_at = now(), cancelling = false,
       losses = o.losses + (o.status <> 'publishing')::int,
       status = CASE WHEN o.cancelling THEN 'cancelled'
                     WHEN o.losses + (o.status <> 'publishing')::int >= $4::int THEN 'failed'
                     ELSE 'queued' END,
       dead_reason = CASE WHEN NOT o.cancelling AND o.losses + (o.status <> 'publishing')::int >= $4::int
                          THEN 'Abandoned' END,
       finished_at = CASE WHEN o.cancelling OR o.losses + (o.status <> 'publishing')::int >= $4::int THEN now() END,
       last_error = CASE WHEN o.losses + (o.status <> 'publishing')::int >= $4::int THEN coalesce(o.last_error, $5::text)
                         ELSE o.last_error END,
       holds_group = o.holds_group AND NOT o.cancelling
                     AND (o.losses + (o.status <> 'publishing')::int < $4::int OR o.group_mode = 'BLOCK_ON_ERROR')
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.status, CASE WHEN NOT o.holds_group THEN o.group_id END,
          o.channel, o.retry_count, o.deferrals, o.partial, o.dead_reason
