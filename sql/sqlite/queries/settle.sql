-- Writes down what became of leased jobs; guarded by id and token only (the CHECKs make a status guard redundant).
-- ?1 rows of: id, token, status, retry_count, attempts, deferrals, partial, due or null (stays), dead reason, last error
-- or null, finished_at or null, whether an attempt is on record. ?2 now.
-- Primary key. Answers id, group, status now and whether a callback waits for its changes, of the rows
-- whose token it was.
-- A job that was cancelled while it was leased is not tried again: what would wait is cancelled instead.
-- A group's turn ends with a retry that goes back in line and with a final state, but a dead BLOCK_ON_ERROR job
-- keeps it unless it was cancelled.
UPDATE outbox AS o
SET status = iif(o.cancelling AND g.c3 IN ('queued', 'blocked'), 'cancelled', g.c3), retry_count = g.c4,
    attempts = g.c5, deferrals = g.c6, partial = g.c7,
    next_attempt_at = coalesce(g.c8, o.next_attempt_at), dead_reason = g.c9, last_error = g.c10, updated_at = ?2,
    finished_at = iif(o.cancelling, ?2, g.c11), cancelling = 0, losses = iif(g.c12, 0, o.losses), lease_token = NULL,
    holds_group = CASE WHEN o.cancelling OR g.c3 IN ('blocked', 'sent', 'cancelled') THEN 0
                       WHEN g.c3 = 'failed' AND o.group_mode IS NOT 'BLOCK_ON_ERROR' THEN 0
                       ELSE o.holds_group END
FROM given(?1) AS g
WHERE o.id = g.c1 AND o.lease_token = g.c2
RETURNING id, group_id, status, callback
