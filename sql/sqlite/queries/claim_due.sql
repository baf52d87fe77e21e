-- Leases due jobs of one lane, oldest first.
-- ?1 lane, ?2 low water, ?3 now, ?4 how many, ?5 token. Index outbox_ready, which the literal status makes usable.
-- The answer's order is not defined; the caller sorts by due time and id.
UPDATE outbox SET status = 'dispatching', lease_token = ?5, last_attempt_at = ?3
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE q.status = 'queued' AND q.lane_id = ?1 AND q.next_attempt_at >= ?2 AND q.next_attempt_at <= ?3
               AND q.retry_count < q.max_attempts
             ORDER BY q.next_attempt_at, q.id LIMIT ?4)
RETURNING id, lane_id, channel, status, retry_count, max_attempts, attempts, deferrals, losses,
          partial, group_mode, report, dead_reason, last_error, created_at, updated_at, next_attempt_at,
          last_attempt_at, finished_at, expires_at, group_id IS NOT NULL
