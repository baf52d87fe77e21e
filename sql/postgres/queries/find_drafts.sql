-- The latest open draft of each of these mails. $1 jobs. Needs the primary key.
SELECT DISTINCT ON (d.job_id) d.job_id, d.mailbox, d.draft_id, d.internet_message_id, d.noted_at
  FROM graph_drafts d
 WHERE d.job_id = ANY ($1::bigint[]) AND NOT d.closed
 ORDER BY d.job_id, d.noted_at DESC, d.draft_id DESC
