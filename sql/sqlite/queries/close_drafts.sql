-- A mail is sent anew: its drafts so far say nothing about that. ?1 job. Primary key.
UPDATE graph_drafts SET closed = 1 WHERE job_id = ?1 AND closed = 0
