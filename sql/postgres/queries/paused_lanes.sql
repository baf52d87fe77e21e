-- Lanes from which nothing is published now, and for how many microseconds more. Needs paused_lanes_until.
SELECT p.lane_id, (extract(epoch FROM p.until - now()) * 1000000)::bigint
  FROM paused_lanes p
 WHERE p.until > now()
