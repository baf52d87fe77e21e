-- Rows that cost less to move. For operators: `outbox` is written anew with all its indexes, which holds up readers and writers for
-- about twenty seconds per million rows and needs as much room again; what is granted stays. Instances of the version
-- before go on afterwards.

-- Whoever may use the one may use the other.
CREATE FUNCTION pg_temp.grant_the_same(one text, other text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
  FOR held IN
    SELECT a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM pg_class c
     CROSS JOIN LATERAL aclexplode(c.relacl) AS a
     WHERE c.oid = one::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', held.privilege_type, other, held.grantee);
  END LOOP;
END $$;

-- PostgreSQL walks through a row's columns to read those that an index names, at every update, and can only skip those of fixed
-- width that are never null. So these come first, those that change behind those that never do (what is unchanged at the front is
-- not logged), then status, then the rest. No CHECK on what only the program writes, and writes from its tables of names.
ALTER TABLE outbox RENAME TO outbox_before;
CREATE TABLE outbox (
  id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  lane_id int NOT NULL,
  client_id int NOT NULL,
  sequence int NOT NULL DEFAULT 99,
  max_attempts int NOT NULL DEFAULT 5,
  next_attempt_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  retry_count int NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  deferrals int NOT NULL DEFAULT 0,
  losses int NOT NULL DEFAULT 0,
  partial boolean NOT NULL DEFAULT false,
  holds_group boolean NOT NULL DEFAULT false,
  cancelling boolean NOT NULL DEFAULT false,
  callback boolean NOT NULL DEFAULT false,
  status text NOT NULL
    CHECK (status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight', 'sent', 'failed',
                      'cancelled')),
  channel text NOT NULL,
  last_attempt_at timestamptz,
  lease_token bigint,
  finished_at timestamptz,
  expires_at timestamptz,
  group_id bigint,
  place bigint,
  last_queued_at timestamptz,
  told_dead_at timestamptz,
  group_mode text,
  report text,
  dead_reason text,
  last_error text,
  CHECK (lease_token IS NULL OR status IN ('dispatching', 'publishing')),
  CHECK (group_id IS NULL OR holds_group OR status IN ('blocked', 'sent', 'failed', 'cancelled')),
  CHECK (status <> 'blocked' OR (group_id IS NOT NULL AND NOT holds_group))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 20000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
INSERT INTO outbox (id, created_at, lane_id, client_id, sequence, max_attempts, next_attempt_at, updated_at, retry_count, attempts,
                    deferrals, losses, partial, holds_group, cancelling, callback, status, channel, last_attempt_at, lease_token,
                    finished_at, expires_at, group_id, place, last_queued_at, told_dead_at, group_mode, report, dead_reason,
                    last_error)
SELECT id, created_at, lane_id, client_id, sequence, max_attempts, next_attempt_at, updated_at, retry_count, attempts,
       deferrals, losses, partial, holds_group, cancelling, callback, status, channel, last_attempt_at, lease_token,
       finished_at, expires_at, group_id, place, last_queued_at, told_dead_at, group_mode, report, dead_reason,
       last_error
  FROM outbox_before;

-- The views as they are, over the new table: replaced, not dropped, for the sake of what is granted on them.
CREATE OR REPLACE VIEW mail_outbox AS
  SELECT id, status, retry_count, max_attempts, next_attempt_at, last_attempt_at, last_error, client_id
    FROM outbox
   WHERE channel = 'mail'
  WITH LOCAL CHECK OPTION;

CREATE OR REPLACE VIEW email_log AS
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

CREATE OR REPLACE VIEW dispatch_jobs AS
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


SELECT pg_temp.grant_the_same('outbox_before', 'outbox');
DROP TABLE outbox_before;

-- The indexes as they are; the reason for each is where it was made.
ALTER TABLE outbox ADD PRIMARY KEY (id);
CREATE INDEX outbox_ready ON outbox (lane_id, next_attempt_at, id) WHERE status = 'queued';
CREATE INDEX outbox_ready_mail ON outbox (next_attempt_at, id) WHERE status = 'queued' AND channel = 'mail';
CREATE INDEX outbox_leased ON outbox (lease_token) WHERE status IN ('dispatching', 'publishing', 'in_flight');
CREATE UNIQUE INDEX outbox_turn ON outbox (group_id) WHERE holds_group;
CREATE INDEX outbox_line ON outbox (group_id, sequence, place) WHERE status = 'blocked';
CREATE INDEX outbox_expiry ON outbox (expires_at)
  WHERE expires_at IS NOT NULL AND status IN ('queued', 'blocked', 'published');
CREATE INDEX outbox_exhausted ON outbox (id) WHERE status = 'queued' AND retry_count >= max_attempts;
CREATE INDEX outbox_retry_due ON outbox (next_attempt_at)
  WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial);
CREATE INDEX outbox_retrying ON outbox (client_id, id)
  WHERE (retry_count > 0 OR deferrals > 0 OR partial)
    AND status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight');
CREATE INDEX outbox_ended ON outbox (client_id, status, id) WHERE status IN ('failed', 'cancelled');
CREATE INDEX outbox_reported ON outbox (client_id, report, id) WHERE report IS NOT NULL;
CREATE INDEX outbox_finished ON outbox ((coalesce(finished_at, last_attempt_at, created_at)))
  WHERE status IN ('sent', 'cancelled');
CREATE INDEX outbox_dead ON outbox ((coalesce(finished_at, last_attempt_at, created_at))) WHERE status = 'failed';
CREATE INDEX outbox_blocking ON outbox (id) WHERE holds_group AND status = 'failed';
CREATE INDEX outbox_published ON outbox (last_queued_at) WHERE status = 'published';
CREATE INDEX outbox_untold ON outbox ((coalesce(finished_at, last_attempt_at, created_at)), id)
  WHERE (status = 'failed' AND (told_dead_at IS NULL OR told_dead_at < finished_at)) IS TRUE;
CREATE INDEX outbox_dead_reason ON outbox (dead_reason) WHERE (status = 'failed') IS TRUE;
CREATE INDEX outbox_errors ON outbox (lane_id, last_attempt_at)
  WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial) AND last_error IS NOT NULL;

ANALYZE outbox;

-- The attempts' words come from the program's tables of names, too.
ALTER TABLE attempts
  DROP CONSTRAINT attempts_status_check,
  DROP CONSTRAINT attempts_verdict_check,
  DROP CONSTRAINT attempts_error_type_check;

-- Most changes of a public state have a row of their own already: the job's content (it was accepted) or an attempt (it ended so).
-- They are written there, and mail_status shows all of them as before.

-- accepted_as: the job's first public state; null: an event of its own says it.
ALTER TABLE messages ADD COLUMN accepted_as text;
ALTER TABLE webhooks ADD COLUMN accepted_as text;

-- What the attempt changed, where no callback waits for it: null: nothing, or an event of its own says it. changed_seq has its
-- place among the seq of status_changes.
ALTER TABLE attempts
  ADD COLUMN changed_at timestamptz,
  ADD COLUMN changed_seq bigint,
  ADD COLUMN from_state text,
  ADD COLUMN to_state text,
  ADD COLUMN change_reason text;

-- Changes that have no such row: what people and upkeep do, reports, and what a callback waits for.
ALTER TABLE mail_status RENAME TO status_changes;
ALTER SEQUENCE mail_status_seq_seq RENAME TO status_changes_seq;

-- Every change of the public state of every job.
CREATE VIEW mail_status AS
  SELECT s.job_id, s.seq, s.at, s.from_state, s.to_state, s.reason, s.actor, s.trace_id, s.callback
    FROM status_changes s
  UNION ALL
  SELECT a.job_id, a.changed_seq, a.changed_at, a.from_state, a.to_state, a.change_reason, 'engine',
         coalesce((SELECT m.trace_id FROM messages m WHERE m.id = a.job_id),
                  (SELECT w.trace_id FROM webhooks w WHERE w.id = a.job_id), ''), false
    FROM attempts a
   WHERE a.changed_seq IS NOT NULL
  UNION ALL
  SELECT m.id, 0, m.created_at, '', m.accepted_as, 'accepted', c.name, m.trace_id, false
    FROM messages m
    JOIN clients c ON c.id = m.client_id
   WHERE m.accepted_as IS NOT NULL
  UNION ALL
  SELECT w.id, 0, w.created_at, '', w.accepted_as, 'accepted', c.name, w.trace_id, false
    FROM webhooks w
    JOIN clients c ON c.id = w.client_id
   WHERE w.accepted_as IS NOT NULL;

SELECT pg_temp.grant_the_same('status_changes', 'mail_status');
-- The number of a change that lies beside its attempt is asked for by name, which who may insert an identity need not be allowed to.
DO $$
DECLARE writer record;
BEGIN
  FOR writer IN
    SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS name
      FROM pg_class c
     CROSS JOIN LATERAL aclexplode(c.relacl) AS a
     WHERE c.oid = 'status_changes'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT USAGE ON SEQUENCE status_changes_seq TO %s', writer.name);
  END LOOP;
END $$;

-- The version before writes to mail_status.
CREATE FUNCTION eilbote_change_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      INSERT INTO status_changes (job_id, from_state, to_state, reason, actor, trace_id, callback)
      VALUES (NEW.job_id, coalesce(NEW.from_state, ''), NEW.to_state, NEW.reason, NEW.actor, coalesce(NEW.trace_id, ''),
              coalesce(NEW.callback, false));
      RETURN NEW;
    WHEN 'UPDATE' THEN
      UPDATE status_changes SET callback = NEW.callback WHERE job_id = OLD.job_id AND seq = OLD.seq;
      RETURN NEW;
    ELSE
      DELETE FROM status_changes WHERE job_id = OLD.job_id AND seq = OLD.seq;
      RETURN OLD;
  END CASE;
END $$;
CREATE TRIGGER mail_status_change INSTEAD OF INSERT OR UPDATE OR DELETE ON mail_status
  FOR EACH ROW EXECUTE FUNCTION eilbote_change_status();
