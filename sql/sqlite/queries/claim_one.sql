-- Leases one queued job, whatever its due time. ?1 id, ?2 now, ?3 token. Primary key.
UPDATE outbox SET status = 'dispatching', lease_token = ?3, last_attempt_at = ?2
WHERE id = ?1 AND status = 'queued' AND retry_count < max_attempts
RETURNING id, lane_id, channel, status, retry_count, max_attempts, attempts, deferrals, losses,
          partial, group_mode, report, dead_reason, last_error, created_at, updated_at, next_attempt_at,
          last_attempt_at, finished_at, expires_at, group_id IS NOT NULL
