-- The mailboxes with one of these subscriptions. $1 subscription ids. Needs watched_mailboxes_subscription.
SELECT w.mailbox, w.subscription_id, w.client_state, w.subscription_ends, w.delta_link, w.traced_until, w.wants
  FROM watched_mailboxes w
 WHERE w.subscription_id = ANY ($1::text[]) AND w.subscription_id <> ''
