-- The mail that a provider gave this Message-ID, the latest of several. ?1 Message-ID with its brackets. Index
-- graph_drafts_message.
SELECT o.id
FROM graph_drafts AS d
JOIN outbox AS o ON o.id = d.job_id
WHERE d.internet_message_id = ?1 AND d.internet_message_id <> '' AND o.channel = 'mail'
ORDER BY d.noted_at DESC, o.id DESC
LIMIT 1
