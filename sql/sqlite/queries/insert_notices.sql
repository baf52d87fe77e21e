-- Messages that came in; those that are known stay as they are. ?1 rows of: mailbox, message id; ?2 now. Unique index.
INSERT INTO mail_notices (mailbox, message_id, at, not_before)
SELECT c1, c2, ?2, ?2 FROM given(?1) WHERE true
ON CONFLICT (mailbox, message_id) DO NOTHING
