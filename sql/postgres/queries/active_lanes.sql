-- Lanes with queued jobs and the due time of each one's earliest: a loose index scan, one probe of outbox_ready a lane.
-- At least one row comes back, for the database's time.
WITH RECURSIVE lane AS (
  (SELECT o.lane_id, o.next_attempt_at
     FROM outbox o
    WHERE o.status = 'queued'
    ORDER BY o.lane_id, o.next_attempt_at
    LIMIT 1)
  UNION ALL
  SELECT n.lane_id, n.next_attempt_at
    FROM lane l
   CROSS JOIN LATERAL (
     SELECT o.lane_id, o.next_attempt_at
       FROM outbox o
      WHERE o.status = 'queued' AND o.lane_id > l.lane_id
      ORDER BY o.lane_id, o.next_attempt_at
      LIMIT 1) n
)
SELECT now(), lane.lane_id, lane.next_attempt_at FROM (SELECT 1) AS one LEFT JOIN lane ON true
