-- A draft that is about to be sent, if its mail is still leased under the given token. No row changed: it is not.
-- ?1 job, ?2 token, ?3 draft id, ?4 mailbox, ?5 internet message id (empty: as noted before), ?6 now. Primary keys.
INSERT INTO graph_drafts (job_id, draft_id, mailbox, internet_message_id, noted_at)
SELECT id, ?3, ?4, ?5, ?6 FROM outbox WHERE id = ?1 AND lease_token = ?2
ON CONFLICT (job_id, draft_id) DO UPDATE
SET mailbox = excluded.mailbox, noted_at = excluded.noted_at, closed = 0,
    internet_message_id = coalesce(nullif(excluded.internet_message_id, ''), internet_message_id)
