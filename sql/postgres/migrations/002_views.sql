-- Views for programs that know the seeds' tables. For operators: grant SELECT (and UPDATE on mail_outbox) to them.

-- A job's id as people see it: 13 Crockford base32 characters.
CREATE FUNCTION eilbote_tsid(id bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((id >> (5 * n)) & 31)::int + 1, 1), '' ORDER BY n DESC)
    FROM generate_series(0, 12) AS n
$$;

-- Foreign workers claim and settle mail through this one. Grouped mail is not theirs.
CREATE VIEW mail_outbox AS
  SELECT id, status, retry_count, max_attempts, next_attempt_at, last_attempt_at, last_error, client_id
    FROM outbox
   WHERE channel = 'mail'
  WITH LOCAL CHECK OPTION;

-- The same rows in the words of a retry scheduler.
CREATE VIEW email_log AS
  SELECT eilbote_tsid(o.id) AS "EmailId",
         coalesce(m.message_key, eilbote_tsid(o.id)) AS "MessageKey",
         CASE
           WHEN o.status IN ('queued', 'blocked') AND (o.retry_count > 0 OR o.deferrals > 0 OR o.partial) THEN 'Failed'
           WHEN o.status IN ('queued', 'blocked', 'published') THEN 'Pending'
           WHEN o.status = 'publishing' THEN 'RetryQueued'
           WHEN o.status IN ('dispatching', 'in_flight') THEN 'Sending'
           WHEN o.status = 'sent' THEN 'Sent'
           WHEN o.status = 'cancelled' THEN 'Cancelled'
           ELSE 'Dead'
         END AS "Status",
         o.retry_count AS "AttemptCount",
         CASE WHEN o.status IN ('queued', 'blocked') THEN o.next_attempt_at END AS "NextAttemptAt",
         i.lease_until AS "LockedUntil",
         o.last_error AS "LastError",
         o.dead_reason AS "DeadReason",
         o.last_queued_at AS "LastQueuedAt",
         o.created_at AS "CreatedAt",
         CASE WHEN o.status = 'sent' THEN coalesce(o.finished_at, o.last_attempt_at) END AS "SentAt"
    FROM outbox o
    LEFT JOIN messages m ON m.id = o.id
    LEFT JOIN instances i ON i.epoch = (o.lease_token >> 32)
   WHERE o.channel = 'mail';
