-- Jobs with what is shown of them. ?1 rows of: id. Primary keys only.
SELECT o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
       o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
       o.last_attempt_at, o.finished_at, o.expires_at, m.recipients, m.meta, coalesce(m.trace_id, w.trace_id),
       coalesce(m.message_key, w.message_key), w.job, c.name, p.code, l.route
FROM given(?1) AS g
JOIN outbox AS o ON o.id = g.c1
JOIN clients AS c ON c.id = o.client_id
JOIN lanes AS l ON l.id = o.lane_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
LEFT JOIN messages AS m ON m.id = o.id
LEFT JOIN webhooks AS w ON w.id = o.id
