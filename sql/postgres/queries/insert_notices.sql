-- Messages that came in; those that are known stay as they are. $1 mailboxes, $2 message ids. In order, so that two who are
-- told the same cannot deadlock. Needs the unique index.
INSERT INTO mail_notices (mailbox, message_id)
SELECT x.mailbox, x.message_id
  FROM unnest($1::text[], $2::text[]) AS x (mailbox, message_id)
 ORDER BY x.mailbox, x.message_id
ON CONFLICT (mailbox, message_id) DO NOTHING
