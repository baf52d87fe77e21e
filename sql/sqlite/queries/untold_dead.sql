-- Dead jobs that were not told since they died, oldest first. ?1 at most. Index outbox_untold, so the guards are written as there.
-- A foreign worker may end a job without saying why, or when.
SELECT o.id, o.channel, o.attempts,
       coalesce(o.dead_reason, iif(o.retry_count >= o.max_attempts, 'MaxAttemptsExceeded', 'PermanentFailure')),
       o.last_error, coalesce(o.finished_at, o.last_attempt_at, o.created_at),
       CASE WHEN o.channel = 'mail' THEN (SELECT m.message_key FROM messages AS m WHERE m.id = o.id)
            ELSE (SELECT w.message_key FROM webhooks AS w WHERE w.id = o.id) END
FROM outbox AS o
WHERE o.status = 'failed' AND (o.told_dead_at IS NULL OR o.told_dead_at < o.finished_at)
ORDER BY coalesce(o.finished_at, o.last_attempt_at, o.created_at), o.id
LIMIT ?1
