-- Jobs with what is shown of them. $1 ids. Needs the primary keys.
SELECT o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at,
       m.recipients, m.meta, coalesce(m.trace_id, w.trace_id), coalesce(m.message_key, w.message_key), w.job
  FROM outbox o
  LEFT JOIN messages m ON m.id = o.id
  LEFT JOIN webhooks w ON w.id = o.id
 WHERE o.id = ANY ($1::bigint[])
