-- Lanes with queued jobs and the due time of their first one: a loose scan of outbox_ready, two steps per lane.
WITH RECURSIVE active (lane_id) AS (
  SELECT min(lane_id) FROM outbox WHERE status = 'queued'
  UNION ALL
  SELECT (SELECT min(o.lane_id) FROM outbox AS o WHERE o.status = 'queued' AND o.lane_id > active.lane_id)
  FROM active WHERE active.lane_id IS NOT NULL
)
SELECT l.id, l.channel, c.name, p.code, l.route,
       (SELECT min(o.next_attempt_at) FROM outbox AS o WHERE o.status = 'queued' AND o.lane_id = l.id)
FROM active
JOIN lanes AS l ON l.id = active.lane_id
JOIN clients AS c ON c.id = l.client_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
