-- Writes down what became of a leased job; guarded by id and token only (the CHECKs make a status guard redundant).
-- ?1 id, ?2 token, ?3 status, ?4 retry_count, ?5 attempts, ?6 deferrals, ?7 partial, ?8 due or null (stays), ?9 dead reason,
-- ?10 last error or null, ?11 now, ?12 finished_at or null, ?13 whether an attempt is on record.
-- Primary key. Answers group and lane; nothing when the token is not the row's.
-- A group's turn ends with a retry that goes back in line and with a final state, but a dead BLOCK_ON_ERROR job keeps it.
UPDATE outbox
SET status = ?3, retry_count = ?4, attempts = ?5, deferrals = ?6, partial = ?7,
    next_attempt_at = coalesce(?8, next_attempt_at), dead_reason = ?9, last_error = ?10, updated_at = ?11,
    finished_at = ?12, losses = iif(?13, 0, losses), lease_token = NULL,
    holds_group = CASE WHEN ?3 IN ('blocked', 'sent', 'cancelled') THEN 0
                       WHEN ?3 = 'failed' AND group_mode IS NOT 'BLOCK_ON_ERROR' THEN 0
                       ELSE holds_group END
WHERE id = ?1 AND lease_token = ?2
RETURNING group_id, lane_id
