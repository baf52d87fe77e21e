-- Nothing is published from these lanes for so long; a longer pause stays. The rows are taken in order, so two workers cannot
-- deadlock. $1 lanes, $2 pause in microseconds. Needs the primary key.
INSERT INTO paused_lanes AS p (lane_id, until)
SELECT DISTINCT x.lane, now() + $2::bigint * interval '1 microsecond'
  FROM unnest($1::int[]) AS x (lane)
 ORDER BY x.lane
ON CONFLICT (lane_id) DO UPDATE
  SET until = excluded.until
  WHERE p.until < excluded.until
