-- What the notifier wants done about a mailbox's subscription. $1 mailbox, $2 the wish, $3 those it is graver than: another
-- one stays. Needs the primary key.
UPDATE watched_mailboxes
   SET wants = $2::text
 WHERE mailbox = $1::text AND (wants IS NULL OR wants = ANY ($3::text[]))
