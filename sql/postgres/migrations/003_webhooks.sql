-- Webhook jobs, what they refer to, and callbacks about mails. For operators: the two indexes read `outbox` and
-- `mail_status` once, which holds up writers for seconds per million rows; columns are added in an instant, afterwards.

-- Groups whose job in turn is dead: what people are shown, and nothing else.
CREATE INDEX outbox_blocking ON outbox (id) WHERE holds_group AND status = 'failed';

-- cancelling: somebody cancelled it while it was leased; the running attempt is its last.
-- callback: every change of its public state is told to the mail's callback.
ALTER TABLE outbox
  ADD COLUMN cancelling boolean NOT NULL DEFAULT false,
  ADD COLUMN callback boolean NOT NULL DEFAULT false;

-- What came back from an endpoint, cut to size, and what there is to say beyond error_message.
ALTER TABLE attempts
  ADD COLUMN response_body text NOT NULL DEFAULT '',
  ADD COLUMN diagnostic text NOT NULL DEFAULT '';

-- callback: this change is still to be made a webhook job of its own.
ALTER TABLE mail_status ADD COLUMN callback boolean NOT NULL DEFAULT false;
CREATE INDEX mail_status_callback ON mail_status (seq) WHERE callback;

-- limited: rate or concurrency were set by people and hold over all instances together. managed: made or changed by
-- people through the API; the configuration no longer has a say.
ALTER TABLE dispatch_pools
  ADD COLUMN limited boolean NOT NULL DEFAULT false,
  ADD COLUMN managed boolean NOT NULL DEFAULT false;

-- The content of a webhook job; never changes. job: everything but the payload, by its names in the API.
CREATE TABLE webhooks (
  id bigint PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  client_id int NOT NULL,
  job json NOT NULL,
  trace_id text NOT NULL,
  message_key text,
  payload text NOT NULL
);
CREATE INDEX webhooks_client ON webhooks (client_id, id);

-- Who webhooks are sent as. body: the account by its names in the API, secrets as references or encrypted.
CREATE TABLE service_accounts (
  id bigint PRIMARY KEY,
  code text NOT NULL UNIQUE,
  body json NOT NULL,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- JSON Schemas that payloads are held against.
CREATE TABLE payload_schemas (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  content json NOT NULL,
  created_at timestamptz NOT NULL
);

-- Webhook jobs in the words of the API, for people and programs that read tables. For operators: grant SELECT to them.
CREATE VIEW dispatch_jobs AS
  SELECT eilbote_tsid(o.id) AS "id",
         w.job ->> 'externalId' AS "externalId",
         w.job ->> 'source' AS "source",
         w.job ->> 'kind' AS "kind",
         w.job ->> 'code' AS "code",
         w.job ->> 'subject' AS "subject",
         w.job ->> 'eventId' AS "eventId",
         w.job ->> 'correlationId' AS "correlationId",
         w.job -> 'metadata' AS "metadata",
         w.job ->> 'targetUrl' AS "targetUrl",
         w.job -> 'headers' AS "headers",
         w.payload AS "payload",
         w.job ->> 'payloadContentType' AS "payloadContentType",
         (w.job ->> 'dataOnly')::boolean AS "dataOnly",
         w.job ->> 'serviceAccountId' AS "serviceAccountId",
         c.name AS "clientId",
         w.job ->> 'subscriptionId' AS "subscriptionId",
         w.job ->> 'mode' AS "mode",
         p.code AS "dispatchPoolId",
         w.job ->> 'messageGroup' AS "messageGroup",
         o.sequence AS "sequence",
         (w.job ->> 'timeoutSeconds')::int AS "timeoutSeconds",
         w.job ->> 'schemaId' AS "schemaId",
         CASE
           WHEN o.status IN ('dispatching', 'in_flight') THEN 'IN_PROGRESS'
           WHEN o.status = 'sent' THEN 'COMPLETED'
           WHEN o.status = 'cancelled' OR (o.status = 'failed' AND o.dead_reason = 'Expired') THEN 'CANCELLED'
           WHEN o.status = 'failed' OR (o.retry_count > 0 AND o.deferrals = 0) THEN 'ERROR'
           WHEN o.status = 'publishing' THEN 'PENDING'
           WHEN o.status IN ('queued', 'blocked') AND o.next_attempt_at > now() AND o.attempts = 0 THEN 'PENDING'
           ELSE 'QUEUED'
         END AS "status",
         o.max_attempts AS "maxRetries",
         w.job ->> 'retryStrategy' AS "retryStrategy",
         (w.job ->> 'scheduledFor')::timestamptz AS "scheduledFor",
         CASE WHEN o.status IN ('queued', 'blocked') THEN o.next_attempt_at END AS "nextAttemptAt",
         o.expires_at AS "expiresAt",
         o.retry_count + (o.status = 'sent')::int AS "attemptCount",
         o.last_attempt_at AS "lastAttemptAt",
         o.finished_at AS "completedAt",
         o.last_error AS "lastError",
         w.job ->> 'idempotencyKey' AS "idempotencyKey",
         o.created_at AS "createdAt",
         o.updated_at AS "updatedAt"
    FROM outbox o
    JOIN webhooks w ON w.id = o.id
    JOIN clients c ON c.id = o.client_id
    JOIN lanes l ON l.id = o.lane_id
    JOIN dispatch_pools p ON p.id = l.pool_id
   WHERE o.channel = 'webhook';
