-- How much waits for a route, counted up to $1: the webhooks for a host, or all mails where $3 is empty. $2 channel.
-- Cost: a probe of outbox_ready a lane, and $1 entries at most.
SELECT count(*) AS depth
  FROM (SELECT 1
          FROM lanes l
         CROSS JOIN LATERAL (SELECT 1 FROM outbox o WHERE o.status = 'queued' AND o.lane_id = l.id LIMIT $1::int) q
         WHERE l.channel = $2::text AND ($3::text = '' OR l.route = $3::text)
         LIMIT $1::int) counted
