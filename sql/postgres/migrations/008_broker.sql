-- Jobs that travel by a broker. For operators: the two indexes each read `outbox` once, which holds up writers, and during the
-- second one readers too, for seconds per million rows; the column is added in an instant, and the tables are new.

-- What waits in the broker for too long.
CREATE INDEX outbox_published ON outbox (last_queued_at) WHERE status = 'published';

-- told_dead_at: when the broker's queue of dead letters was told that this job is dead; earlier than finished_at: it was sent
-- again and died anew. IS TRUE hides from the planner that the jobs of outbox_dead are meant: it has no idea how few of them are
-- untold, and would read them all.
ALTER TABLE outbox ADD COLUMN told_dead_at timestamptz;
CREATE INDEX outbox_untold ON outbox ((coalesce(finished_at, last_attempt_at, created_at)), id)
  WHERE (status = 'failed' AND (told_dead_at IS NULL OR told_dead_at < finished_at)) IS TRUE;

-- Lanes whose way out a worker found closed: nothing is handed to the broker from them until then. A row that is over says
-- nothing; there are never more than lanes.
CREATE TABLE paused_lanes (
  lane_id int PRIMARY KEY,
  until timestamptz NOT NULL
);
CREATE INDEX paused_lanes_until ON paused_lanes (until);

-- Pieces of upkeep that one instance does for all: epoch, until then.
CREATE TABLE chore_turns (
  chore text PRIMARY KEY,
  epoch int NOT NULL,
  until timestamptz NOT NULL
);
