-- Hands jobs back that an epoch leased for the broker without anybody knowing; burns nothing, the due time stays.
-- ?1 and ?2 the epoch's first and last token, ?3 rows of: a job that is held, ?4 now. Index outbox_leased, which is
-- found by its list of states.
UPDATE outbox SET status = 'queued', lease_token = NULL, updated_at = ?4
WHERE id IN (SELECT q.id FROM outbox AS q
             WHERE (q.status = 'dispatching' OR q.status = 'publishing' OR q.status = 'in_flight') AND q.lease_token BETWEEN ?1 AND ?2
               AND q.status = 'publishing' AND q.id NOT IN (SELECT c1 FROM given(?3)))
