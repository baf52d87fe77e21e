-- What the notifier wants done about a mailbox's subscription. ?1 mailbox, ?2 the wish, ?3 rows of: those it is graver than
-- (another one stays). Primary key.
UPDATE watched_mailboxes SET wants = ?2
WHERE mailbox = ?1 AND (wants IS NULL OR wants IN (SELECT c1 FROM given(?3)))
