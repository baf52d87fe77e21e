-- What the overview and the console show. For operators: the index reads `outbox` once, which holds up writers for seconds per
-- million rows; the column is added in an instant, and the table is new.

-- What all instances took in and what became of it, a row per minute in which anything happened; kept for eight days.
CREATE TABLE flow_minutes (
  minute timestamptz PRIMARY KEY,
  accepted bigint NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  retried bigint NOT NULL
) WITH (fillfactor = 10);

-- Dead jobs by reason. IS TRUE: no other index is taken for it, and it for no other statement; see outbox_untold.
CREATE INDEX outbox_dead_reason ON outbox (dead_reason) WHERE (status = 'failed') IS TRUE;

-- Whether an instance delivers, so that the others see when none does. Last: heartbeats wait until this is committed.
ALTER TABLE instances ADD COLUMN delivers boolean NOT NULL DEFAULT true;
