-- Webhook jobs, what they refer to, and callbacks about mails. For operators: adds columns with constant defaults and
-- empty tables only, so it takes its locks for an instant.

-- cancelling: somebody cancelled it while it was leased; the running attempt is its last.
-- callback: every change of its public state is told to the mail's callback.
ALTER TABLE outbox
  ADD COLUMN cancelling boolean NOT NULL DEFAULT false,
  ADD COLUMN callback boolean NOT NULL DEFAULT false;

-- Groups whose job in turn is dead: what people are shown, and nothing else.
CREATE INDEX outbox_blocking ON outbox (id) WHERE holds_group AND status = 'failed';

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
