-- Groups with a due job in their line and nobody in turn: a loose scan of outbox_line, a few steps per group.
-- ?1 now, ?2 how many. Indexes outbox_line and outbox_turn.
WITH RECURSIVE line (group_id) AS (
  SELECT min(group_id) FROM outbox WHERE status = 'blocked'
  UNION ALL
  SELECT (SELECT min(o.group_id) FROM outbox AS o WHERE o.status = 'blocked' AND o.group_id > line.group_id)
  FROM line WHERE line.group_id IS NOT NULL
)
SELECT group_id FROM line
WHERE group_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM outbox AS h WHERE h.holds_group = 1 AND h.group_id = line.group_id)
  AND EXISTS (SELECT 1 FROM outbox AS b
              WHERE b.status = 'blocked' AND b.group_id = line.group_id AND b.next_attempt_at <= ?1)
LIMIT ?2
