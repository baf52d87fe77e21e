-- Jobs leased to an epoch for delivery; what it is publishing is its publisher's. $1 its first token, $2 its last.
-- Needs outbox_leased.
SELECT o.id
  FROM outbox o
 WHERE o.status IN ('dispatching', 'publishing', 'in_flight') AND o.status <> 'publishing'
   AND o.lease_token BETWEEN $1::bigint AND $2::bigint
