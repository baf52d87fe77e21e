-- These mails are sent anew: their drafts so far say nothing about that. $1 jobs. Needs the primary key.
UPDATE graph_drafts SET closed = true WHERE job_id = ANY ($1::bigint[]) AND NOT closed
