-- Notices that wait, oldest first. ?1 rows of: mailbox; ?2 now, ?3 at most. Index mail_notices_waiting: what is read already
-- is the most by far, so the plus keeps it from being looked up by mailbox.
SELECT n.number, n.mailbox, n.message_id, n.tries
FROM mail_notices AS n
WHERE n.read_at IS NULL AND n.not_before <= ?2 AND +n.mailbox IN (SELECT c1 FROM given(?1))
ORDER BY n.at, n.number LIMIT ?3
