-- One job, before an act decides about it. ?1 id. Primary key. The writer is alone, so nothing needs a lock.
SELECT o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
       o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
       o.last_attempt_at, o.finished_at, o.expires_at, o.group_id, o.holds_group, o.cancelling
FROM outbox AS o
WHERE o.id = ?1
