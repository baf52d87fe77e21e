-- Every mailbox that was ever watched, by name. ?1 at most. Needs the primary key.
SELECT mailbox FROM watched_mailboxes ORDER BY mailbox LIMIT ?1
