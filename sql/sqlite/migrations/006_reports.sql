-- What became of mails after they were handed over, and whom they no longer go to.

-- Every delivery report that came in, once by its key; job_id is null while no mail is meant. body: what it says, as JSON.
CREATE TABLE delivery_reports (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: lists are paged by it
  key TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('dsn', 'graph', 'message-trace', 'provider')),
  job_id INTEGER,
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
-- A mail's reports, and (null) those without a mail.
CREATE INDEX delivery_reports_job ON delivery_reports (job_id, number);

-- Addresses a client's mails no longer go to. job_id: whose bounce it was; null: a person's doing.
CREATE TABLE suppressions (
  client_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  reason TEXT NOT NULL,
  job_id INTEGER,
  since INTEGER NOT NULL,
  PRIMARY KEY (client_id, address)
) STRICT, WITHOUT ROWID;

-- A provider names a mail by its own id. The capture route, whose id is ours, pays nothing.
CREATE INDEX attempts_provider_id ON attempts (provider_message_id)
  WHERE provider_message_id <> '' AND route <> 'capture';
