-- Writes down what an act decided.
-- ?1 id, ?2 status, ?3 whether the budget starts afresh, ?4 dead reason or null, ?5 now, ?6 finished_at or null,
-- ?7 expiry of a job that had expired already. ?8 whether the group's turn is
-- kept. Primary key.
-- The lease of a scheduler that is just publishing it is over; its next death is to be told.
UPDATE outbox
SET status = ?2, dead_reason = ?4, updated_at = ?5, finished_at = ?6, holds_group = iif(?8, holds_group, 0), cancelling = 0,
    lease_token = NULL, told_dead_at = iif(?3, NULL, told_dead_at),
    retry_count = iif(?3, 0, retry_count), deferrals = iif(?3, 0, deferrals), losses = iif(?3, 0, losses),
    partial = iif(?3, 0, partial), report = iif(?3, NULL, report), last_error = iif(?3, NULL, last_error),
    next_attempt_at = iif(?3, ?5, next_attempt_at),
    expires_at = iif(?3 AND expires_at <= ?5, ?7, expires_at)
WHERE id = ?1
