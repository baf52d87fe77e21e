-- Writes down what a report decided. Whatever the mail becomes, it has no turn in its group; where it had one, promote_groups
-- follows.
-- ?1 id, ?2 status, ?3 report or null, ?4 dead reason or null, ?5 retry count, ?6 partial, ?7 due or null, ?8 last error or
-- null, ?9 whether it is at its end, ?10 now. Primary key.
UPDATE outbox
SET status = ?2, report = ?3, dead_reason = ?4, retry_count = ?5, partial = ?6,
    next_attempt_at = coalesce(?7, next_attempt_at), last_error = ?8, deferrals = iif(?9, deferrals, 0),
    finished_at = CASE WHEN NOT ?9 THEN NULL WHEN status <> ?2 THEN ?10 ELSE finished_at END,
    holds_group = 0, updated_at = ?10
WHERE id = ?1
