-- Hands a row back whose claim's answer was lost; burns nothing, and a grouped row keeps its turn. One that was cancelled
-- meanwhile is cancelled now, and gives up its group's turn.
-- ?1 id, ?2 and ?3 the first and last token of the epoch it must still be leased to, for delivery, ?4 now. Primary key.
UPDATE outbox
SET status = iif(cancelling, 'cancelled', 'queued'), lease_token = NULL, updated_at = ?4, cancelling = 0,
    finished_at = iif(cancelling, ?4, NULL), holds_group = iif(cancelling, 0, holds_group)
WHERE id = ?1 AND lease_token BETWEEN ?2 AND ?3 AND status <> 'publishing'
RETURNING id, status, group_id
