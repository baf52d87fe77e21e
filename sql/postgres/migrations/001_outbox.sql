-- The tables of Eilbote. For operators: run once with `eilbote migrate`; takes no lock on anything else in the database.
-- `outbox` is the hot table: one narrow row per job, moved between states until retention deletes it. Content lives in
-- `messages` and is written once. No foreign keys between hot tables: the program writes them in one transaction, and
-- the key checks would cost a lock each.

-- A running program. Its leases live as long as this row says; see outbox.lease_token.
CREATE TABLE instances (
  epoch int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE clients (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);

-- home_epoch: the instance that keeps a limited pool's rate and concurrency.
CREATE TABLE dispatch_pools (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  code text NOT NULL UNIQUE,
  name text NOT NULL,
  rate_limit_per_minute int,
  burst int NOT NULL DEFAULT 1,
  concurrency int NOT NULL DEFAULT 256,
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  home_epoch int,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What the ledger claims by.
CREATE TABLE lanes (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pool_id int NOT NULL REFERENCES dispatch_pools (id),
  client_id int NOT NULL REFERENCES clients (id),
  channel text NOT NULL CHECK (channel IN ('mail', 'webhook')),
  route text NOT NULL DEFAULT '',
  UNIQUE (pool_id, client_id, channel, route)
);

-- A job. lease_token = epoch << 32 | round of its holder; null while dispatching means a foreign worker has it.
-- holds_group: it is this job's turn in its group. place: its number in the group's line, given under the group's lock.
CREATE TABLE outbox (
  id bigint PRIMARY KEY,
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_attempt_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz,
  last_queued_at timestamptz,
  lease_token bigint,
  group_id bigint,
  place bigint,
  lane_id int NOT NULL,
  client_id int NOT NULL,
  sequence int NOT NULL DEFAULT 99,
  retry_count int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL DEFAULT 5,
  attempts int NOT NULL DEFAULT 0,
  deferrals int NOT NULL DEFAULT 0,
  losses int NOT NULL DEFAULT 0,
  partial boolean NOT NULL DEFAULT false,
  holds_group boolean NOT NULL DEFAULT false,
  channel text NOT NULL CHECK (channel IN ('mail', 'webhook')),
  status text NOT NULL
    CHECK (status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight', 'sent', 'failed',
                      'cancelled')),
  group_mode text CHECK (group_mode IN ('IMMEDIATE', 'NEXT_ON_ERROR', 'BLOCK_ON_ERROR')),
  report text CHECK (report IN ('delivered', 'bounced')),
  dead_reason text
    CHECK (dead_reason IN ('MaxAttemptsExceeded', 'PermanentFailure', 'Expired', 'Abandoned', 'Uncertain')),
  last_error text,
  CHECK (lease_token IS NULL OR status IN ('dispatching', 'publishing')),
  CHECK (group_id IS NULL OR holds_group OR status IN ('blocked', 'sent', 'failed', 'cancelled')),
  CHECK (status <> 'blocked' OR (group_id IS NOT NULL AND NOT holds_group))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 20000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);

CREATE SEQUENCE outbox_place;

-- Every index on `outbox` costs on every move, so each has a statement that cannot do without it.
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
-- Retention. A foreign worker may end a job without a finished_at, hence the expression.
CREATE INDEX outbox_finished ON outbox ((coalesce(finished_at, last_attempt_at, created_at)))
  WHERE status IN ('sent', 'cancelled');
CREATE INDEX outbox_dead ON outbox ((coalesce(finished_at, last_attempt_at, created_at))) WHERE status = 'failed';

-- The content of a mail; never changes. recipients: [[kind, address], ...] in envelope order.
CREATE TABLE messages (
  id bigint PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  client_id int NOT NULL,
  bytes int NOT NULL,
  on_uncertain text NOT NULL CHECK (on_uncertain IN ('retry', 'hold')),
  sender text NOT NULL,
  recipients json NOT NULL,
  meta jsonb NOT NULL,
  retry json,
  trace_id text NOT NULL,
  message_key text,
  mime bytea NOT NULL
);
ALTER TABLE messages ALTER COLUMN mime SET STORAGE EXTERNAL;
CREATE INDEX messages_client ON messages (client_id, id);

-- The result of one recipient (n counts from 0 in envelope order); no row: it waits.
CREATE TABLE recipients (
  job_id bigint NOT NULL,
  n int NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'taken', 'refused', 'suppressed', 'delivered', 'bounced')),
  reply text NOT NULL DEFAULT '',
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, n)
);

-- One try to deliver. The token tells "my own lost commit" from "the lease was stolen".
CREATE TABLE attempts (
  job_id bigint NOT NULL,
  token bigint NOT NULL,
  attempted_at timestamptz NOT NULL,
  completed_at timestamptz NOT NULL,
  duration_ms bigint NOT NULL,
  number int NOT NULL,
  smtp_code int NOT NULL DEFAULT 0,
  response_code int NOT NULL DEFAULT 0,
  deferral boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (status IN ('SUCCESS', 'CLIENT_ERROR', 'SERVER_ERROR', 'TIMEOUT', 'CONNECTION_ERROR')),
  verdict text CHECK (verdict IN ('delivered', 'deferred', 'transient', 'permanent', 'route_fault', 'configuration',
                                  'uncertain', 'released')),
  error_type text CHECK (error_type IN ('TRANSIENT', 'PERMANENT', 'UNKNOWN')),
  route text NOT NULL DEFAULT '',
  code text NOT NULL DEFAULT '',
  enhanced_code text NOT NULL DEFAULT '',
  error_message text NOT NULL DEFAULT '',
  provider_message_id text NOT NULL DEFAULT '',
  PRIMARY KEY (job_id, token)
);

-- Changes of the public state, of all jobs. seq grows with time inside a job: the row's lock orders the writers.
CREATE TABLE mail_status (
  job_id bigint NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  from_state text NOT NULL DEFAULT '',
  to_state text NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  trace_id text NOT NULL DEFAULT '',
  PRIMARY KEY (job_id, seq)
);

-- Search: a 64-bit hash of (client, key, value); equal hashes are rechecked on the row.
CREATE TABLE facets (
  hash bigint NOT NULL,
  id bigint NOT NULL,
  PRIMARY KEY (hash, id)
);

CREATE TABLE idempotency_keys (
  client_id int NOT NULL,
  key text NOT NULL COLLATE "C",
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
  job_id bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (client_id, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- What operators did.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  act text NOT NULL,
  job_id bigint,
  detail jsonb NOT NULL DEFAULT '{}',
  trace_id text NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_job ON audit_log (job_id) WHERE job_id IS NOT NULL;
