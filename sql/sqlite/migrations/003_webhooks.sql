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
