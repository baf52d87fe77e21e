-- Frees rows of an epoch that is over, or gives them up at their last loss. Due times stay. One that was cancelled while it was
-- leased is cancelled now. One that was only being published has lost nothing: nobody had begun with it, so it is no loss,
-- and its mail is not spared.
-- ?1 and ?2 the epoch's first and last token, ?3 now, ?4 the loss that ends a job, ?5 last error of one given up, ?6 how many,
-- ?7 true: not the mails, ?8 rows of: a job to leave alone.
-- Index outbox_leased. A grouped row keeps its turn, unless it is dead and its group goes on.
-- Returns job, lane, status now, the group when the job has no turn in it now, and what its states are made of.
UPDATE outbox
SET losses = losses + (status <> 'publishing'), lease_token = NULL, updated_at = ?3, cancelling = 0,
    status = CASE WHEN cancelling THEN 'cancelled'
                  WHEN losses + (status <> 'publishing') >= ?4 THEN 'failed'
                  ELSE 'queued' END,
    dead_reason = iif(NOT cancelling AND losses + (status <> 'publishing') >= ?4, 'Abandoned', NULL),
    finished_at = iif(cancelling OR losses + (status <> 'publishing') >= ?4, ?3, NULL),
    last_error = iif(losses + (status <> 'publishing') >= ?4, coalesce(last_error, ?5), last_error),
    holds_group = iif(cancelling OR (losses + (status <> 'publishing') >= ?4 AND group_mode IS NOT 'BLOCK_ON_ERROR'),
                      0, holds_group)
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE (q.status = 'dispatching' OR q.status = 'publishing' OR q.status = 'in_flight') AND q.lease_token BETWEEN ?1 AND ?2
               AND (NOT ?7 OR q.channel <> 'mail' OR q.status = 'publishing')
               AND q.id NOT IN (SELECT c1 FROM given(?8))
             LIMIT ?6)
RETURNING id, lane_id, status, iif(holds_group, NULL, group_id),
          channel, retry_count, deferrals, partial, dead_reason
