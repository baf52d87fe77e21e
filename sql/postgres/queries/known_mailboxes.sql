-- The mailboxes on record, by name. $1 limit. Needs the primary key.
SELECT w.mailbox FROM watched_mailboxes w ORDER BY w.mailbox LIMIT $1::int
