-- Jobs leased to an epoch. $1 its first token, $2 its last. Needs outbox_leased.
SELECT o.id
  FROM outbox o
 WHERE o.status IN ('dispatching', 'publishing', 'in_flight') AND o.lease_token BETWEEN $1::bigint AND $2::bigint
