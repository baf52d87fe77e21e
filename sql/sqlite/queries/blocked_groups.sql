-- Groups whose job in turn is dead, the longest blocked first. ?1 client or null for all, ?2 name of the group or empty
-- for any, ?3 groups at most, ?4 how far those behind it are counted. Reads outbox_blocking whole: as many rows as
-- people have to look at.
SELECT blocked.channel, c.name, blocked.name, blocked.id, blocked.last_error, blocked.since,
       (SELECT count(*)
        FROM (SELECT 1 FROM outbox AS q WHERE q.status = 'blocked' AND q.group_id = blocked.group_id LIMIT ?4))
FROM (SELECT o.id, o.channel, o.client_id, o.group_id, coalesce(o.last_error, '') AS last_error,
             coalesce(o.finished_at, o.last_attempt_at, o.created_at) AS since,
             coalesce(w.job ->> 'messageGroup', m.meta ->> 'group', '') AS name
      FROM outbox AS o INDEXED BY outbox_blocking
      LEFT JOIN webhooks AS w ON w.id = o.id
      LEFT JOIN messages AS m ON m.id = o.id
      WHERE o.holds_group = 1 AND o.status = 'failed'
        AND (?1 IS NULL OR o.client_id = (SELECT id FROM clients WHERE name = ?1))
        AND (?2 = '' OR coalesce(w.job ->> 'messageGroup', m.meta ->> 'group', '') = ?2)
      ORDER BY since, o.id
      LIMIT ?3) AS blocked
JOIN clients AS c ON c.id = blocked.client_id
ORDER BY blocked.since, blocked.id
