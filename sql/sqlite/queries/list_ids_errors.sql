-- A client's jobs that failed, for good or so far, newest first. ?1 client, ?2 ids below, ?3 ids from, ?4 how many.
-- Indexes outbox_ended and outbox_retrying, each by a branch that repeats its predicate to the letter.
SELECT id FROM (
  SELECT id FROM (SELECT id FROM outbox
                  WHERE status IN ('failed', 'cancelled') AND client_id = ?1 AND status = 'failed' AND id < ?2 AND id >= ?3
                  ORDER BY id DESC LIMIT ?4)
  UNION ALL
  SELECT id FROM (SELECT id FROM outbox
                  WHERE (retry_count > 0 OR deferrals > 0 OR partial = 1)
                    AND (status = 'queued' OR status = 'blocked' OR status = 'publishing' OR status = 'published' OR status = 'dispatching' OR status = 'in_flight')
                    AND client_id = ?1 AND id < ?2 AND id >= ?3
                  ORDER BY id DESC LIMIT ?4))
ORDER BY id DESC LIMIT ?4
