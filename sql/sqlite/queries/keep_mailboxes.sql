-- Makes an epoch the keeper of those of these mailboxes that it keeps already or that nobody alive keeps; answers them as
-- they are. ?1 epoch, ?2 rows of: mailbox, ?3 now, ?4 until when. Primary keys.
INSERT INTO watched_mailboxes (mailbox, keeper_epoch, kept_until)
SELECT DISTINCT c1, ?1, ?4 FROM given(?2) WHERE true ORDER BY c1
ON CONFLICT (mailbox) DO UPDATE
SET keeper_epoch = excluded.keeper_epoch, kept_until = excluded.kept_until
WHERE watched_mailboxes.keeper_epoch IS NULL OR watched_mailboxes.keeper_epoch = excluded.keeper_epoch
   OR watched_mailboxes.kept_until <= ?3
   OR NOT EXISTS (SELECT 1 FROM instances AS i
                  WHERE i.epoch = watched_mailboxes.keeper_epoch AND i.lease_until >= ?3)
RETURNING mailbox, subscription_id, client_state, subscription_ends, delta_link, traced_until, wants
