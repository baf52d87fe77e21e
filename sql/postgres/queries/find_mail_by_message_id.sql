-- The mail that a provider gave this Message-ID, the latest of several. $1 Message-ID with its brackets. Needs
-- graph_drafts_message.
SELECT o.id
  FROM graph_drafts d
  JOIN outbox o ON o.id = d.job_id
 WHERE d.internet_message_id = $1::text AND d.internet_message_id <> '' AND o.channel = 'mail'
 ORDER BY d.noted_at DESC, o.id DESC
 LIMIT 1
