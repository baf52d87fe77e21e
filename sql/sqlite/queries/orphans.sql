-- Mails leased to one epoch for delivery; those it was only publishing are rescued. ?1 and ?2 its first and last token, ?3 how
-- many. Index outbox_leased.
SELECT id, lane_id, channel, status, retry_count, max_attempts, attempts, deferrals, losses,
       partial, group_mode, report, dead_reason, last_error, created_at, updated_at, next_attempt_at,
       last_attempt_at, finished_at, expires_at, group_id IS NOT NULL, lease_token
FROM outbox
WHERE (status = 'dispatching' OR status = 'publishing' OR status = 'in_flight') AND status <> 'publishing'
  AND lease_token BETWEEN ?1 AND ?2 AND channel = 'mail'
ORDER BY lease_token, id
LIMIT ?3
