-- Nothing is published from a lane until then; a longer pause stays. ?1 lane, ?2 until. Primary key.
INSERT INTO paused_lanes (lane_id, until) VALUES (?1, ?2)
ON CONFLICT (lane_id) DO UPDATE SET until = excluded.until WHERE until < excluded.until
