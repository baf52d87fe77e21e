-- Mail through Microsoft Graph: drafts and watched mailboxes.

-- Which draft in which mailbox is a mail's, written before it is sent. draft_id is empty for a mail that is sent without one.
-- closed: its mail is sent anew, so this draft says nothing about it any more; a report about it still finds the mail.
CREATE TABLE graph_drafts (
  job_id INTEGER NOT NULL,
  draft_id TEXT NOT NULL,
  mailbox TEXT NOT NULL,
  internet_message_id TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
  PRIMARY KEY (job_id, draft_id)
) STRICT, WITHOUT ROWID;
-- Reports name a mail by what the provider called it.
CREATE INDEX graph_drafts_message ON graph_drafts (internet_message_id) WHERE internet_message_id <> '';
CREATE INDEX graph_drafts_draft ON graph_drafts (draft_id) WHERE draft_id <> '';

-- Mailboxes whose inboxes are watched, each by one instance at a time: keeper_epoch, until kept_until.
-- wants: what the notifier said about the subscription and nobody has acted on.
CREATE TABLE watched_mailboxes (
  mailbox TEXT PRIMARY KEY,
  subscription_id TEXT NOT NULL DEFAULT '',
  client_state TEXT NOT NULL DEFAULT '',
  subscription_ends INTEGER,
  delta_link TEXT NOT NULL DEFAULT '',
  traced_until INTEGER,
  wants TEXT CHECK (wants IN ('missed', 'reauthorizationRequired', 'subscriptionRemoved')),
  keeper_epoch INTEGER,
  kept_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_mailboxes_subscription ON watched_mailboxes (subscription_id) WHERE subscription_id <> '';

-- A message came into a watched mailbox. It waits until it was read, and is remembered for a week after that: notifiers
-- repeat themselves.
CREATE TABLE mail_notices (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  mailbox TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  read_at INTEGER,
  UNIQUE (mailbox, message_id)
) STRICT;
CREATE INDEX mail_notices_waiting ON mail_notices (at) WHERE read_at IS NULL;
CREATE INDEX mail_notices_read ON mail_notices (read_at) WHERE read_at IS NOT NULL;
