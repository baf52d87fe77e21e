-- How much waits for a route, counted up to ?1: the webhooks for a host, or all mails where ?3 is empty. ?2 channel.
-- Index outbox_ready: a probe a lane, and ?1 entries at most.
SELECT count(*) AS depth
FROM (SELECT 1 FROM lanes AS l CROSS JOIN outbox AS o
      WHERE l.channel = ?2 AND (?3 = '' OR l.route = ?3) AND o.status = 'queued' AND o.lane_id = l.id LIMIT ?1)
