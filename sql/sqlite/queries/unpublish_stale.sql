-- Takes jobs back that have been in the broker for too long. Due as they were; nothing is lost or burnt.
-- ?1 published before, ?2 now, ?3 how many. Index outbox_published. Returns as rescue_dead.
UPDATE outbox SET status = 'queued', updated_at = ?2
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE q.status = 'published' AND q.last_queued_at < ?1
             ORDER BY q.last_queued_at LIMIT ?3)
RETURNING id, lane_id, status, iif(holds_group, NULL, group_id),
          channel, retry_count, deferrals, partial, dead_reason
