-- What is known of a watched mailbox; its keeper stays. ?1 mailbox, ?2 subscription, ?3 its secret, ?4 its end or null,
-- ?5 delta link, ?6 traced until or null, ?7 what it wanted and was acted on, or null: another wish stays.
INSERT INTO watched_mailboxes (mailbox, subscription_id, client_state, subscription_ends, delta_link, traced_until)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (mailbox) DO UPDATE
SET subscription_id = excluded.subscription_id, client_state = excluded.client_state,
    subscription_ends = excluded.subscription_ends, delta_link = excluded.delta_link,
    traced_until = excluded.traced_until, wants = nullif(wants, ?7)
