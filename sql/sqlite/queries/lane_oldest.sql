-- only sqlite: PostgreSQL has pool_depth.
-- Due time of a lane's first job, when it is due. ?1 lane, ?2 now. Index outbox_ready.
SELECT min(next_attempt_at) FROM outbox WHERE status = 'queued' AND lane_id = ?1 AND next_attempt_at <= ?2
