-- The mailboxes on record, by name. ?1 limit. Primary key.
SELECT w.mailbox FROM watched_mailboxes AS w ORDER BY w.mailbox LIMIT ?1
