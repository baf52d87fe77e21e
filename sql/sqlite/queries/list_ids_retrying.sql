-- A client's jobs that wait after a failure, newest first. ?1 client, ?2 ids below, ?3 ids from, ?4 how many.
-- Index outbox_retrying; the query repeats its predicate to the letter.
SELECT id FROM outbox
WHERE (retry_count > 0 OR deferrals > 0 OR partial = 1)
  AND (status = 'queued' OR status = 'blocked' OR status = 'publishing' OR status = 'published' OR status = 'dispatching' OR status = 'in_flight')
  AND client_id = ?1 AND id < ?2 AND id >= ?3
ORDER BY id DESC LIMIT ?4
