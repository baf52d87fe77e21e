-- Leases due jobs of one lane to a scheduler, oldest first. As claim_due, but no attempt begins: last_attempt_at stays.
-- ?1 lane, ?2 low water, ?3 now, ?4 how many, ?5 token. Index outbox_ready, which the literal status makes usable.
-- Returns also whether it was handed to the broker for this very attempt before, and its key or null. The answer's order is not
-- defined; the caller sorts by due time and id.
UPDATE outbox SET status = 'publishing', lease_token = ?5
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE q.status = 'queued' AND q.lane_id = ?1 AND q.next_attempt_at >= ?2 AND q.next_attempt_at <= ?3
               AND q.retry_count < q.max_attempts
             ORDER BY q.next_attempt_at, q.id LIMIT ?4)
RETURNING id, lane_id, channel, retry_count, attempts, next_attempt_at, group_id,
          last_queued_at IS NOT NULL AND coalesce(last_attempt_at < last_queued_at, 1),
          CASE WHEN channel = 'mail' THEN (SELECT m.message_key FROM messages AS m WHERE m.id = outbox.id)
               ELSE (SELECT w.message_key FROM webhooks AS w WHERE w.id = outbox.id) END
