-- Webhook jobs, what they refer to, and callbacks about mails.

-- cancelling: somebody cancelled it while it was leased; the running attempt is its last.
-- callback: every change of its public state is told to the mail's callback.
ALTER TABLE outbox ADD COLUMN cancelling INTEGER NOT NULL DEFAULT 0 CHECK (cancelling IN (0, 1));
ALTER TABLE outbox ADD COLUMN callback INTEGER NOT NULL DEFAULT 0 CHECK (callback IN (0, 1));

-- Groups whose job in turn is dead: what people are shown, and nothing else.
CREATE INDEX outbox_blocking ON outbox (id) WHERE holds_group = 1 AND status = 'failed';

-- What came back from an endpoint, cut to size, and what there is to say beyond error_message.
ALTER TABLE attempts ADD COLUMN response_body TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN diagnostic TEXT NOT NULL DEFAULT '';

-- callback: this change is still to be made a webhook job of its own.
ALTER TABLE mail_status ADD COLUMN callback INTEGER NOT NULL DEFAULT 0 CHECK (callback IN (0, 1));
CREATE INDEX mail_status_callback ON mail_status (job_id, seq) WHERE callback = 1;

-- limited: rate or concurrency were set by people. managed: made or changed by people through the API; the
-- configuration no longer has a say.
ALTER TABLE dispatch_pools ADD COLUMN limited INTEGER NOT NULL DEFAULT 0 CHECK (limited IN (0, 1));
ALTER TABLE dispatch_pools ADD COLUMN managed INTEGER NOT NULL DEFAULT 0 CHECK (managed IN (0, 1));

-- The content of a webhook job; never changes. job: everything but the payload, by its names in the API.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  client_id INTEGER NOT NULL,
  job TEXT NOT NULL CHECK (json_valid(job)),
  trace_id TEXT NOT NULL,
  message_key TEXT,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_client ON webhooks (client_id);

-- Who webhooks are sent as. body: the account by its names in the API, secrets as references or encrypted.
CREATE TABLE service_accounts (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL CHECK (json_valid(body)),
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- JSON Schemas that payloads are held against.
CREATE TABLE payload_schemas (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL CHECK (json_valid(content)),
  created_at INTEGER NOT NULL
) STRICT;

-- Webhook jobs in the words of the API, for people and programs that read tables.
CREATE VIEW dispatch_jobs AS
WITH alphabet (letters) AS (VALUES ('0123456789ABCDEFGHJKMNPQRSTVWXYZ'))
SELECT (substr(letters, 1 + (o.id >> 60 & 31), 1) ||
        substr(letters, 1 + (o.id >> 55 & 31), 1) ||
        substr(letters, 1 + (o.id >> 50 & 31), 1) ||
        substr(letters, 1 + (o.id >> 45 & 31), 1) ||
        substr(letters, 1 + (o.id >> 40 & 31), 1) ||
        substr(letters, 1 + (o.id >> 35 & 31), 1) ||
        substr(letters, 1 + (o.id >> 30 & 31), 1) ||
        substr(letters, 1 + (o.id >> 25 & 31), 1) ||
        substr(letters, 1 + (o.id >> 20 & 31), 1) ||
        substr(letters, 1 + (o.id >> 15 & 31), 1) ||
        substr(letters, 1 + (o.id >> 10 & 31), 1) ||
        substr(letters, 1 + (o.id >> 5 & 31), 1) ||
        substr(letters, 1 + (o.id >> 0 & 31), 1)) AS id,
       json_extract(w.job, '$.externalId') AS externalId,
       json_extract(w.job, '$.source') AS source,
       json_extract(w.job, '$.kind') AS kind,
       json_extract(w.job, '$.code') AS code,
       json_extract(w.job, '$.subject') AS subject,
       json_extract(w.job, '$.eventId') AS eventId,
       json_extract(w.job, '$.correlationId') AS correlationId,
       json_extract(w.job, '$.metadata') AS metadata,
       json_extract(w.job, '$.targetUrl') AS targetUrl,
       json_extract(w.job, '$.headers') AS headers,
       w.payload AS payload,
       json_extract(w.job, '$.payloadContentType') AS payloadContentType,
       json_extract(w.job, '$.dataOnly') AS dataOnly,
       json_extract(w.job, '$.serviceAccountId') AS serviceAccountId,
       c.name AS clientId,
       json_extract(w.job, '$.subscriptionId') AS subscriptionId,
       json_extract(w.job, '$.mode') AS mode,
       p.code AS dispatchPoolId,
       json_extract(w.job, '$.messageGroup') AS messageGroup,
       o.sequence AS sequence,
       json_extract(w.job, '$.timeoutSeconds') AS timeoutSeconds,
       json_extract(w.job, '$.schemaId') AS schemaId,
       CASE
         WHEN o.status IN ('dispatching', 'in_flight') THEN 'IN_PROGRESS'
         WHEN o.status = 'sent' THEN 'COMPLETED'
         WHEN o.status = 'cancelled' OR (o.status = 'failed' AND o.dead_reason = 'Expired') THEN 'CANCELLED'
         WHEN o.status = 'failed' OR (o.retry_count > 0 AND o.deferrals = 0) THEN 'ERROR'
         WHEN o.status = 'publishing' THEN 'PENDING'
         WHEN o.status IN ('queued', 'blocked') AND o.attempts = 0
           AND o.next_attempt_at > (julianday('now') - 2440587.5) * 86400000000.0 THEN 'PENDING'
         ELSE 'QUEUED'
       END AS status,
       o.max_attempts AS maxRetries,
       json_extract(w.job, '$.retryStrategy') AS retryStrategy,
       json_extract(w.job, '$.scheduledFor') AS scheduledFor,
       CASE WHEN o.status IN ('queued', 'blocked') THEN o.next_attempt_at END AS nextAttemptAt,
       o.expires_at AS expiresAt,
       o.retry_count + (o.status = 'sent') AS attemptCount,
       o.last_attempt_at AS lastAttemptAt,
       o.finished_at AS completedAt,
       o.last_error AS lastError,
       json_extract(w.job, '$.idempotencyKey') AS idempotencyKey,
       o.created_at AS createdAt,
       o.updated_at AS updatedAt
FROM outbox AS o
JOIN alphabet
JOIN webhooks AS w ON w.id = o.id
JOIN clients AS c ON c.id = o.client_id
JOIN lanes AS l ON l.id = o.lane_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
WHERE o.channel = 'webhook';
