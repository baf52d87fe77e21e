-- Frees rows that somebody claimed without a token and left, or gives them up at their last loss. One that a foreign
-- scheduler was only publishing has lost nothing.
-- ?1 claimed before, ?2 now, ?3 the loss that ends a job, ?4 last error of one given up, ?5 how many. Index outbox_leased.
-- Returns as rescue_dead.
UPDATE outbox
SET losses = losses + (status <> 'publishing'), updated_at = ?2,
    status = iif(losses + (status <> 'publishing') >= ?3, 'failed', 'queued'),
    dead_reason = iif(losses + (status <> 'publishing') >= ?3, 'Abandoned', NULL),
    finished_at = iif(losses + (status <> 'publishing') >= ?3, ?2, NULL),
    last_error = iif(losses + (status <> 'publishing') >= ?3, coalesce(last_error, ?4), last_error),
    holds_group = iif(losses + (status <> 'publishing') >= ?3 AND group_mode IS NOT 'BLOCK_ON_ERROR', 0, holds_group)
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE (q.status = 'dispatching' OR q.status = 'publishing' OR q.status = 'in_flight') AND q.lease_token IS NULL
               AND coalesce(q.last_attempt_at, q.updated_at) < ?1
             LIMIT ?5)
RETURNING id, lane_id, status, iif(holds_group, NULL, group_id),
          channel, retry_count, deferrals, partial, dead_reason
