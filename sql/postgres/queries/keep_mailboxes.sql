-- Makes $1 (epoch) the keeper of those of the mailboxes $2 that it keeps already or that nobody alive keeps, for $3
-- microseconds; answers them as they are. The rows are taken in order, so two instances cannot deadlock; the second one
-- waits and finds the first one alive. Needs the primary keys.
INSERT INTO watched_mailboxes AS w (mailbox, keeper_epoch, kept_until)
SELECT DISTINCT x.mailbox, $1::int, now() + $3::bigint * interval '1 microsecond'
  FROM unnest($2::text[]) AS x (mailbox)
 ORDER BY x.mailbox
ON CONFLICT (mailbox) DO UPDATE
  SET keeper_epoch = excluded.keeper_epoch, kept_until = excluded.kept_until
  WHERE w.keeper_epoch IS NULL OR w.keeper_epoch = excluded.keeper_epoch OR w.kept_until <= now()
     OR NOT EXISTS (SELECT 1 FROM instances i WHERE i.epoch = w.keeper_epoch AND i.lease_until >= now())
RETURNING w.mailbox, w.subscription_id, w.client_state, w.subscription_ends, w.delta_link, w.traced_until, w.wants
