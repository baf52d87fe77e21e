-- The outbox on SQLite. Times are microseconds since 1970 UTC, truth values 0 or 1, ids TSIDs.
-- The row in `outbox` is narrow and moves often; content lies in `messages` and never changes.
-- An index on a rowid table ends in the rowid by itself, so (lane_id, next_attempt_at) is ordered by id within.

CREATE TABLE instances (
  epoch INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice, also after its row is gone
  name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT;

CREATE TABLE clients (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE dispatch_pools (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  rate_limit_per_minute INTEGER,
  burst INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  home_epoch INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  pool_id INTEGER NOT NULL,
  client_id INTEGER NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
  route TEXT NOT NULL DEFAULT '',
  UNIQUE (pool_id, client_id, channel, route)
) STRICT;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  lane_id INTEGER NOT NULL,
  client_id INTEGER NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('mail', 'webhook')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight',
                                         'sent', 'failed', 'cancelled')),
  retry_count INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 5,
  attempts INTEGER NOT NULL DEFAULT 0,
  deferrals INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  partial INTEGER NOT NULL DEFAULT 0 CHECK (partial IN (0, 1)),
  next_attempt_at INTEGER NOT NULL,
  last_attempt_at INTEGER,
  finished_at INTEGER,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_queued_at INTEGER,
  lease_token INTEGER,
  group_id INTEGER,
  group_mode TEXT CHECK (group_mode IN ('IMMEDIATE', 'NEXT_ON_ERROR', 'BLOCK_ON_ERROR')),
  place INTEGER,
  sequence INTEGER NOT NULL DEFAULT 99,
  holds_group INTEGER NOT NULL DEFAULT 0 CHECK (holds_group IN (0, 1)),
  report TEXT CHECK (report IN ('delivered', 'bounced')),
  dead_reason TEXT CHECK (dead_reason IN ('MaxAttemptsExceeded', 'PermanentFailure', 'Expired', 'Abandoned',
                                          'Uncertain')),
  last_error TEXT,
  CHECK (lease_token IS NULL OR status IN ('dispatching', 'publishing')),
  CHECK (group_id IS NULL OR holds_group = 1 OR status IN ('blocked', 'sent', 'failed', 'cancelled')),
  CHECK (group_id IS NOT NULL OR holds_group = 0),
  CHECK (status <> 'blocked' OR (group_id IS NOT NULL AND holds_group = 0))
) STRICT;

-- What the claim reads: one lane, by due time.
CREATE INDEX outbox_ready ON outbox (lane_id, next_attempt_at) WHERE status = 'queued';
-- The plain look-up by status and due time, and the list of what is due.
CREATE INDEX outbox_ready_mail ON outbox (next_attempt_at) WHERE status = 'queued' AND channel = 'mail';
CREATE INDEX outbox_leased ON outbox (lease_token) WHERE status IN ('dispatching', 'publishing', 'in_flight');
-- One turn per group, and its line.
CREATE UNIQUE INDEX outbox_turn ON outbox (group_id) WHERE holds_group = 1;
CREATE INDEX outbox_line ON outbox (group_id, sequence, place) WHERE status = 'blocked';
CREATE INDEX outbox_expiry ON outbox (expires_at)
  WHERE expires_at IS NOT NULL AND status IN ('queued', 'blocked', 'published');
-- Rows a foreign hand left behind; empty otherwise.
CREATE INDEX outbox_exhausted ON outbox (next_attempt_at) WHERE status = 'queued' AND retry_count >= max_attempts;
CREATE INDEX outbox_retries ON outbox (next_attempt_at)
  WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial = 1);
CREATE INDEX outbox_retrying ON outbox (client_id)
  WHERE (retry_count > 0 OR deferrals > 0 OR partial = 1)
    AND status IN ('queued', 'blocked', 'publishing', 'published', 'dispatching', 'in_flight');
CREATE INDEX outbox_ended ON outbox (client_id, status) WHERE status IN ('failed', 'cancelled');
CREATE INDEX outbox_reported ON outbox (client_id, report) WHERE report IS NOT NULL;
-- What retention reads.
CREATE INDEX outbox_finished ON outbox (status, finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  client_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,  -- JSON: [["to", "a@example.org"], ...] in envelope order
  meta TEXT NOT NULL CHECK (json_valid(meta)),
  retry TEXT,
  on_uncertain TEXT NOT NULL CHECK (on_uncertain IN ('retry', 'hold')),
  trace_id TEXT NOT NULL,
  message_key TEXT,
  bytes INTEGER NOT NULL,
  mime BLOB NOT NULL
) STRICT;
CREATE INDEX messages_client ON messages (client_id);

-- A recipient has a row once it has a result.
CREATE TABLE recipients (
  job_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'taken', 'refused', 'suppressed', 'delivered', 'bounced')),
  reply TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;

-- (job, token) is unique: it tells a commit whose answer was lost from a lease that went to somebody else.
CREATE TABLE attempts (
  job_id INTEGER NOT NULL,
  token INTEGER NOT NULL,
  number INTEGER NOT NULL,
  attempted_at INTEGER NOT NULL,
  completed_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('SUCCESS', 'CLIENT_ERROR', 'SERVER_ERROR', 'TIMEOUT', 'CONNECTION_ERROR')),
  route TEXT NOT NULL,
  code TEXT NOT NULL,
  verdict TEXT CHECK (verdict IN ('delivered', 'deferred', 'transient', 'permanent', 'route_fault', 'configuration',
                                  'uncertain', 'released')),
  smtp_code INTEGER NOT NULL,
  enhanced_code TEXT NOT NULL,
  response_code INTEGER NOT NULL,
  error_message TEXT NOT NULL,
  error_type TEXT CHECK (error_type IN ('TRANSIENT', 'PERMANENT', 'UNKNOWN')),
  deferral INTEGER NOT NULL CHECK (deferral IN (0, 1)),
  provider_message_id TEXT NOT NULL,
  PRIMARY KEY (job_id, token)
) STRICT, WITHOUT ROWID;

-- Every change of a public state.
CREATE TABLE mail_status (
  job_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;

-- Search: a 64-bit hash of (client, key, value); equal hashes are rechecked on the row. A commit would touch a page of
-- the index for every facet, so new ones are appended to an inbox, and moved over a few thousand at a time, sorted.
CREATE TABLE facet_index (
  hash INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (hash, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE facet_inbox (
  id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY (id, hash)
) STRICT, WITHOUT ROWID;

CREATE VIEW facets AS
SELECT hash, id FROM facet_index
UNION ALL
SELECT hash, id FROM facet_inbox;

CREATE TABLE idempotency_keys (
  client_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  job_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (client_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  act TEXT NOT NULL,
  job_id INTEGER,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  trace_id TEXT NOT NULL
) STRICT;

-- Places in groups' lines are given out here, one row for all groups.
CREATE TABLE group_places (
  last INTEGER NOT NULL
) STRICT;
INSERT INTO group_places (last) VALUES (0);
