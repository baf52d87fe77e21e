-- The jobs of a commit whose answer was lost: those that are there already stay as they are and are not answered.
-- Parameters as in insert_outbox.
INSERT INTO outbox (id, lane_id, client_id, channel, status, max_attempts, next_attempt_at, expires_at, created_at,
                    updated_at, group_id, group_mode, place, sequence, callback)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c9, c10, c11, c12, c13, c14 FROM given(?1) WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
