-- What became of mails after they were handed over, and whom they no longer go to. For operators: the index on `attempts` reads
-- that table once, which holds up settling for seconds per million rows; the tables are new.

-- Every delivery report that came in, once by its key; job_id is null while no mail is meant. body: what it says, as JSON.
CREATE TABLE delivery_reports (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL COLLATE "C" UNIQUE,
  at timestamptz NOT NULL DEFAULT now(),
  source text NOT NULL CHECK (source IN ('dsn', 'graph', 'message-trace', 'provider')),
  job_id bigint,
  body json NOT NULL
);
CREATE INDEX delivery_reports_job ON delivery_reports (job_id, number) WHERE job_id IS NOT NULL;
CREATE INDEX delivery_reports_unmatched ON delivery_reports (number) WHERE job_id IS NULL;

-- Addresses a client's mails no longer go to. job_id: whose bounce it was; null: a person's doing.
CREATE TABLE suppressions (
  client_id int NOT NULL,
  address text NOT NULL COLLATE "C",
  reason text NOT NULL,
  job_id bigint,
  since timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (client_id, address)
);

-- A provider names a mail by its own id. Cut, because an id may be longer than an index takes; the capture route, whose id is
-- ours, pays nothing.
CREATE INDEX attempts_provider_id ON attempts (left(provider_message_id, 200))
  WHERE provider_message_id <> '' AND route <> 'capture';
