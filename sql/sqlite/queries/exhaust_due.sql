-- Ends what a foreign hand left queued with its attempts used up: failed, or sent when some recipient was taken.
-- ?1 now, ?2 how many. Index outbox_exhausted. A dead BLOCK_ON_ERROR job keeps its turn. Returns as rescue_dead.
UPDATE outbox
SET status = iif(partial, 'sent', 'failed'), dead_reason = iif(partial, NULL, 'MaxAttemptsExceeded'), partial = 0,
    finished_at = ?1, updated_at = ?1,
    holds_group = iif(group_mode = 'BLOCK_ON_ERROR' AND NOT partial, holds_group, 0)
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE q.status = 'queued' AND q.retry_count >= q.max_attempts
             ORDER BY q.next_attempt_at LIMIT ?2)
RETURNING id, lane_id, status, iif(holds_group, NULL, group_id),
          channel, retry_count, deferrals, partial, dead_reason
