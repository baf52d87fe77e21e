-- only sqlite: PostgreSQL reads many at once with find_many.
-- One job with what its content says about it. ?1 id. Primary keys only.
SELECT o.id, o.channel, o.lane_id, o.client_id, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals,
       o.losses, o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at,
       o.next_attempt_at, o.last_attempt_at, o.finished_at, o.expires_at, o.group_id,
       c.name, p.code, m.recipients, m.meta, m.trace_id, m.message_key,
       (SELECT a.provider_message_id FROM attempts AS a
        WHERE a.job_id = o.id AND a.provider_message_id <> '' ORDER BY a.number DESC LIMIT 1)
FROM outbox AS o
JOIN clients AS c ON c.id = o.client_id
JOIN lanes AS l ON l.id = o.lane_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
LEFT JOIN messages AS m ON m.id = o.id
WHERE o.id = ?1
