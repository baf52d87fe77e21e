-- The latest open draft of a mail. ?1 job. Primary key.
SELECT d.job_id, d.mailbox, d.draft_id, d.internet_message_id, d.noted_at
FROM graph_drafts AS d WHERE d.job_id = ?1 AND d.closed = 0
ORDER BY d.noted_at DESC, d.draft_id DESC LIMIT 1
