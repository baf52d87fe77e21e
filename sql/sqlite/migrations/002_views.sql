-- The outbox as the older vocabularies read it. On SQLite both are for reading: the engine has the file to itself.

CREATE VIEW mail_outbox AS
SELECT id, status, retry_count, max_attempts, next_attempt_at, last_attempt_at, last_error, client_id
FROM outbox
WHERE channel = 'mail';

-- EmailId is the id's text: 13 digits of Crockford base32. LockedUntil is the end of the holder's lease.
CREATE VIEW email_log AS
WITH alphabet (letters) AS (VALUES ('0123456789ABCDEFGHJKMNPQRSTVWXYZ'))
SELECT e.EmailId, coalesce(m.message_key, e.EmailId) AS MessageKey,
       CASE
         WHEN o.status IN ('queued', 'blocked')
           THEN CASE WHEN o.retry_count > 0 OR o.deferrals > 0 OR o.partial = 1 THEN 'Failed' ELSE 'Pending' END
         WHEN o.status = 'published' THEN 'Pending'
         WHEN o.status = 'publishing' THEN 'RetryQueued'
         WHEN o.status IN ('dispatching', 'in_flight') THEN 'Sending'
         WHEN o.status = 'sent' THEN 'Sent'
         WHEN o.status = 'cancelled' THEN 'Cancelled'
         ELSE 'Dead'
       END AS Status,
       o.retry_count AS AttemptCount,
       CASE WHEN o.status IN ('queued', 'blocked', 'published') THEN o.next_attempt_at END AS NextAttemptAt,
       i.lease_until AS LockedUntil,
       o.last_error AS LastError,
       o.dead_reason AS DeadReason,
       o.last_queued_at AS LastQueuedAt,
       o.created_at AS CreatedAt,
       CASE WHEN o.status = 'sent' THEN o.finished_at END AS SentAt
FROM outbox AS o
JOIN (
  SELECT o2.id,
         substr(letters, 1 + (o2.id >> 60 & 31), 1) || substr(letters, 1 + (o2.id >> 55 & 31), 1) ||
         substr(letters, 1 + (o2.id >> 50 & 31), 1) || substr(letters, 1 + (o2.id >> 45 & 31), 1) ||
         substr(letters, 1 + (o2.id >> 40 & 31), 1) || substr(letters, 1 + (o2.id >> 35 & 31), 1) ||
         substr(letters, 1 + (o2.id >> 30 & 31), 1) || substr(letters, 1 + (o2.id >> 25 & 31), 1) ||
         substr(letters, 1 + (o2.id >> 20 & 31), 1) || substr(letters, 1 + (o2.id >> 15 & 31), 1) ||
         substr(letters, 1 + (o2.id >> 10 & 31), 1) || substr(letters, 1 + (o2.id >> 5 & 31), 1) ||
         substr(letters, 1 + (o2.id & 31), 1) AS EmailId
  FROM outbox AS o2, alphabet
) AS e ON e.id = o.id
LEFT JOIN messages AS m ON m.id = o.id
LEFT JOIN instances AS i ON i.epoch = o.lease_token >> 32
WHERE o.channel = 'mail';
