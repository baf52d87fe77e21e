-- New jobs; a grouped one waits in its group's line until it is promoted.
-- ?1 rows of: id, lane, client, channel, status (queued, or blocked in a group), max_attempts, due, expires_at, now,
-- group or null, group mode or null, place or null, sequence, whether changes are told to a callback
INSERT INTO outbox (id, lane_id, client_id, channel, status, max_attempts, next_attempt_at, expires_at, created_at,
                    updated_at, group_id, group_mode, place, sequence, callback)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c9, c10, c11, c12, c13, c14 FROM given(?1)
