-- Mails that are due, oldest first. ?1 now, ?2 how many. Index outbox_ready_mail.
SELECT id FROM outbox
WHERE status = 'queued' AND channel = 'mail' AND next_attempt_at <= ?1 AND retry_count < max_attempts
ORDER BY next_attempt_at, id LIMIT ?2
