-- Jobs that travel by a broker. For operators: the two indexes each read `outbox` once.

-- What waits in the broker for too long.
CREATE INDEX outbox_published ON outbox (last_queued_at) WHERE status = 'published';

-- told_dead_at: when the broker's queue of dead letters was told that this job is dead; earlier than finished_at: it was sent
-- again and died anew.
ALTER TABLE outbox ADD COLUMN told_dead_at INTEGER;
CREATE INDEX outbox_untold ON outbox (coalesce(finished_at, last_attempt_at, created_at), id)
  WHERE status = 'failed' AND (told_dead_at IS NULL OR told_dead_at < finished_at);

-- Lanes whose way out a worker found closed: nothing is handed to the broker from them until then. A row that is over says
-- nothing; there are never more than lanes.
CREATE TABLE paused_lanes (
  lane_id INTEGER PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX paused_lanes_until ON paused_lanes (until);

-- Pieces of upkeep that one instance does for all: epoch, until then.
CREATE TABLE chore_turns (
  chore TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
