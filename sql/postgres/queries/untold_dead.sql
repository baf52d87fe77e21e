-- Dead jobs that were not told since they died, oldest first. $1 at most. Needs outbox_untold, so guards and order are
-- written as there, and the primary keys. A foreign worker may end a job without saying why, or when.
SELECT o.id, o.channel, o.attempts,
       coalesce(o.dead_reason, CASE WHEN o.retry_count >= o.max_attempts THEN 'MaxAttemptsExceeded'
                                    ELSE 'PermanentFailure' END),
       o.last_error, coalesce(o.finished_at, o.last_attempt_at, o.created_at),
       CASE WHEN o.channel = 'mail' THEN (SELECT m.message_key FROM messages m WHERE m.id = o.id)
            ELSE (SELECT w.message_key FROM webhooks w WHERE w.id = o.id) END
  FROM outbox o
 WHERE (o.status = 'failed' AND (o.told_dead_at IS NULL OR o.told_dead_at < o.finished_at)) IS TRUE
 ORDER BY coalesce(o.finished_at, o.last_attempt_at, o.created_at), o.id
 LIMIT $1::int
