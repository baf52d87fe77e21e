-- Gives each group that has no turn to the next due job of its line. $1 groups, whose locks the transaction holds; a
-- statement of its own, so that it sees what was committed before it. A row that is expiring at this moment is waited
-- for and, when it has ended, passed over. Needs outbox_line and outbox_turn.
WITH next AS MATERIALIZED (
  SELECT n.id
    FROM unnest($1::bigint[]) AS g
   CROSS JOIN LATERAL (
     SELECT b.id
       FROM outbox b
      WHERE b.status = 'blocked' AND b.group_id = g AND b.next_attempt_at <= now()
      ORDER BY b.sequence, b.place
      LIMIT 1
        FOR UPDATE) n
   WHERE NOT EXISTS (SELECT 1 FROM outbox h WHERE h.holds_group AND h.group_id = g)
)
UPDATE outbox o
   SET status = 'queued', holds_group = true
 WHERE o.id = ANY (ARRAY (SELECT id FROM next))
RETURNING o.id, o.lane_id
