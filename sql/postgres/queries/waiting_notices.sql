-- Notices that wait, oldest first. $1 mailboxes, $2 at most. Needs mail_notices_waiting.
SELECT n.number, n.mailbox, n.message_id, n.tries
  FROM mail_notices n
 WHERE n.read_at IS NULL AND n.not_before <= now() AND n.mailbox = ANY ($1::text[])
 ORDER BY n.at, n.number
 LIMIT $2::int
