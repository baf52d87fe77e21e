-- What the overview and the console show. For operators: the index reads `outbox` once.

-- What all instances took in and what became of it, a row per minute in which anything happened; kept for eight days.
CREATE TABLE flow_minutes (
  minute INTEGER PRIMARY KEY,
  accepted INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  retried INTEGER NOT NULL
) STRICT;

-- Whether an instance delivers, so that the others see when none does.
ALTER TABLE instances ADD COLUMN delivers INTEGER NOT NULL DEFAULT 1;

-- Dead jobs by reason. With their status, so that the index alone is enough to count them.
CREATE INDEX outbox_dead_reason ON outbox (dead_reason, status) WHERE status = 'failed';
