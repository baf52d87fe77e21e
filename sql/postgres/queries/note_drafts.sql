-- Drafts that are about to be sent, for mails that are still leased under the given token; the numbers of those notes, from
-- 1. The rows are locked until the commit: whoever takes such a mail next sees the note, or this sees that it was taken.
-- $1 jobs, $2 tokens, $3 draft ids, $4 mailboxes, $5 internet message ids (empty: as noted before). Needs the primary keys.
WITH held AS MATERIALIZED (
  SELECT x.n, x.job_id, x.draft_id, x.mailbox, x.internet_message_id
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])
         WITH ORDINALITY AS x (job_id, token, draft_id, mailbox, internet_message_id, n)
    JOIN outbox o ON o.id = x.job_id AND o.lease_token = x.token
   ORDER BY o.id
     FOR UPDATE OF o
), noted AS (
  INSERT INTO graph_drafts AS d (job_id, draft_id, mailbox, internet_message_id)
  SELECT DISTINCT ON (h.job_id, h.draft_id) h.job_id, h.draft_id, h.mailbox, h.internet_message_id
    FROM held h
   ORDER BY h.job_id, h.draft_id, h.n DESC
  ON CONFLICT (job_id, draft_id) DO UPDATE
    SET mailbox = excluded.mailbox, noted_at = now(), closed = false,
        internet_message_id = coalesce(nullif(excluded.internet_message_id, ''), d.internet_message_id)
)
SELECT h.n FROM held h
