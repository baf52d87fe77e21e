-- Gives a group's turn to the first due job of its line, when nobody has it.
-- ?1 group, ?2 now. Indexes outbox_line and outbox_turn. Answers the job's lane.
UPDATE outbox SET status = 'queued', holds_group = 1
WHERE id = (SELECT b.id FROM outbox AS b
            WHERE b.status = 'blocked' AND b.group_id = ?1 AND b.next_attempt_at <= ?2
            ORDER BY b.sequence, b.place LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM outbox AS h WHERE h.holds_group = 1 AND h.group_id = ?1)
RETURNING id, lane_id
