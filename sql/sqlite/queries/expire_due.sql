-- Ends what waits past its expiry: failed, or sent when some recipient was taken already. A group goes on.
-- ?1 now, ?2 how many. Index outbox_expiry. Returns as rescue_dead.
UPDATE outbox
SET status = iif(partial, 'sent', 'failed'), dead_reason = iif(partial, NULL, 'Expired'), partial = 0,
    finished_at = ?1, updated_at = ?1, last_error = iif(channel = 'webhook', 'EXPIRED', coalesce(last_error, 'expired')), holds_group = 0
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE q.expires_at IS NOT NULL AND (q.status = 'queued' OR q.status = 'blocked' OR q.status = 'published') AND q.expires_at <= ?1
             ORDER BY q.expires_at LIMIT ?2)
RETURNING id, lane_id, status, iif(holds_group, NULL, group_id),
          channel, retry_count, deferrals, partial, dead_reason
