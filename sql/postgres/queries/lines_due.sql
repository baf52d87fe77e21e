-- Groups with a due job in their line and nobody in turn. $1 groups at most. A loose index scan over outbox_line, one
-- probe a group; a long line behind one turn costs no more than a short one. Needs outbox_line and outbox_turn.
WITH RECURSIVE line AS (
  (SELECT o.group_id FROM outbox o WHERE o.status = 'blocked' ORDER BY o.group_id LIMIT 1)
  UNION ALL
  SELECT n.group_id
    FROM line l
   CROSS JOIN LATERAL (
     SELECT o.group_id
       FROM outbox o
      WHERE o.status = 'blocked' AND o.group_id > l.group_id
      ORDER BY o.group_id
      LIMIT 1) n
)
SELECT l.group_id
  FROM line l
 WHERE NOT EXISTS (SELECT 1 FROM outbox h WHERE h.holds_group AND h.group_id = l.group_id)
   AND EXISTS (SELECT 1
                 FROM outbox b
                WHERE b.status = 'blocked' AND b.group_id = l.group_id AND b.next_attempt_at <= now())
 LIMIT $1::int
