-- only sqlite: PostgreSQL has pool_depth.
-- How many jobs wait in a lane, counted up to a bound. ?1 lane, ?2 bound. Index outbox_ready.
SELECT count(*) FROM (SELECT 1 FROM outbox WHERE status = 'queued' AND lane_id = ?1 LIMIT ?2)
