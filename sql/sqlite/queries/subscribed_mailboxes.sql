-- The mailboxes with one of these subscriptions. ?1 rows of: subscription id. Index watched_mailboxes_subscription.
SELECT w.mailbox, w.subscription_id, w.client_state, w.subscription_ends, w.delta_link, w.traced_until, w.wants
FROM watched_mailboxes AS w
WHERE w.subscription_id IN (SELECT c1 FROM given(?1)) AND w.subscription_id <> ''
