-- A new job; a grouped one waits in its group's line until it is promoted.
-- ?1 id, ?2 lane, ?3 client, ?4 channel, ?5 status (queued, or blocked in a group), ?6 max_attempts, ?7 due, ?8 expires_at,
-- ?9 now, ?10 group or null, ?11 group mode or null, ?12 place or null, ?13 sequence
INSERT INTO outbox (id, lane_id, client_id, channel, status, max_attempts, next_attempt_at, expires_at, created_at,
                    updated_at, group_id, group_mode, place, sequence)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13)
