-- Lanes from which nothing is published now, and for how many microseconds more. ?1 now. Index paused_lanes_until.
SELECT p.lane_id, p.until - ?1 FROM paused_lanes AS p WHERE p.until > ?1
