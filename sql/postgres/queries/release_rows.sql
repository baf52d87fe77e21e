-- Hands jobs back that were claimed without anybody knowing; burns nothing. One that was cancelled
-- meanwhile is cancelled now, and gives up its group's turn. $1 ids, $2 first token, $3 last token of the
-- epoch they must still be leased to, for delivery. Needs the primary key.
UPDATE outbox o
   SET status = CASE WHEN o.cancelling THEN 'cancelled' ELSE 'queued' END, lease_token = NULL, cancelling = false,
       finished_at = CASE WHEN o.cancelling THEN now() END, holds_group = o.holds_group AND NOT o.cancelling
 WHERE o.id = ANY ($1::bigint[]) AND o.lease_token BETWEEN $2::bigint AND $3::bigint AND o.status <> 'publishing'
RETURNING o.id, o.status, o.group_id
