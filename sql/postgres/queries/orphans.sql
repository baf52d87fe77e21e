-- Mails leased to an epoch for delivery; those it was only publishing are rescued. $1 its first token, $2 its last, $3 how
-- many. Needs outbox_leased.
SELECT o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
       o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
       o.last_attempt_at, o.finished_at, o.expires_at,
       o.group_id IS NOT NULL, o.lease_token
  FROM outbox o
 WHERE o.status IN ('dispatching', 'publishing', 'in_flight') AND o.status <> 'publishing'
   AND o.lease_token BETWEEN $1::bigint AND $2::bigint
   AND o.channel = 'mail'
 ORDER BY o.lease_token, o.id
 LIMIT $3::int
