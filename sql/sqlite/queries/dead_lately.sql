-- How many jobs died after ?2, counted up to ?1. Index outbox_finished.
SELECT count(*) AS dead
FROM (SELECT 1
      FROM outbox AS o
      WHERE o.finished_at IS NOT NULL AND o.status = 'failed' AND o.finished_at > ?2
      ORDER BY o.finished_at DESC
      LIMIT ?1)
