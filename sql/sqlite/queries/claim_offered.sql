-- Leases jobs that a broker's messages name: those being published or published whose next attempt has the message's number;
-- without a number (a foreign producer's) those published, or queued and due.
-- ?1 rows of: id, attempt or null. ?2 now, ?3 token. Primary key. The answer's order is not defined.
UPDATE outbox AS o SET status = 'dispatching', lease_token = ?3, last_attempt_at = ?2
FROM given(?1) AS g
WHERE o.id = g.c1 AND o.retry_count < o.max_attempts AND NOT o.cancelling
  AND CASE WHEN g.c2 IS NULL THEN o.status = 'published' OR (o.status = 'queued' AND o.next_attempt_at <= ?2)
           ELSE o.status IN ('publishing', 'published') AND o.attempts + 1 = g.c2 END
RETURNING id, lane_id, channel, status, retry_count, max_attempts, attempts, deferrals, losses,
          partial, group_mode, report, dead_reason, last_error, created_at, updated_at, next_attempt_at,
          last_attempt_at, finished_at, expires_at, group_id IS NOT NULL
