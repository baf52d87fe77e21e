-- Ids of mails that could be claimed now, in the order they would be. $1 clients or null for all, $2 at most. Needs
-- outbox_ready_mail.
SELECT o.id
  FROM outbox o
 WHERE o.status = 'queued' AND o.channel = 'mail' AND o.next_attempt_at <= now() AND o.retry_count < o.max_attempts
   AND ($1::int[] IS NULL OR o.client_id = ANY ($1::int[]))
 ORDER BY o.next_attempt_at, o.id
 LIMIT $2::int
