-- Mail through Microsoft Graph: drafts and watched mailboxes. For operators: takes no lock on anything else.

-- Which draft in which mailbox is a mail's, written before it is sent. draft_id is empty for a mail that is sent without one.
-- closed: its mail is sent anew, so this draft says nothing about it any more; a report about it still finds the mail.
CREATE TABLE graph_drafts (
  job_id bigint NOT NULL,
  draft_id text NOT NULL,
  mailbox text NOT NULL,
  internet_message_id text NOT NULL DEFAULT '',
  noted_at timestamptz NOT NULL DEFAULT now(),
  closed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (job_id, draft_id)
);
-- Reports name a mail by what the provider called it.
CREATE INDEX graph_drafts_message ON graph_drafts (internet_message_id) WHERE internet_message_id <> '';
CREATE INDEX graph_drafts_draft ON graph_drafts (draft_id) WHERE draft_id <> '';

-- Mailboxes whose inboxes are watched, each by one instance at a time: keeper_epoch, until kept_until.
-- wants: what the notifier said about the subscription and nobody has acted on.
CREATE TABLE watched_mailboxes (
  mailbox text PRIMARY KEY,
  subscription_id text NOT NULL DEFAULT '',
  client_state text NOT NULL DEFAULT '',
  subscription_ends timestamptz,
  delta_link text NOT NULL DEFAULT '',
  traced_until timestamptz,
  wants text CHECK (wants IN ('missed', 'reauthorizationRequired', 'subscriptionRemoved')),
  keeper_epoch int,
  kept_until timestamptz
);
CREATE INDEX watched_mailboxes_subscription ON watched_mailboxes (subscription_id) WHERE subscription_id <> '';

-- A message came into a watched mailbox. It waits until it was read, and is remembered for a week after that: notifiers
-- repeat themselves.
CREATE TABLE mail_notices (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mailbox text NOT NULL,
  message_id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  not_before timestamptz NOT NULL DEFAULT now(),
  tries int NOT NULL DEFAULT 0,
  read_at timestamptz,
  UNIQUE (mailbox, message_id)
);
CREATE INDEX mail_notices_waiting ON mail_notices (at, number) WHERE read_at IS NULL;
CREATE INDEX mail_notices_read ON mail_notices (read_at) WHERE read_at IS NOT NULL;
