-- Retention: a job's rows in graph_drafts. ?1 job. Primary key.
DELETE FROM graph_drafts WHERE job_id = ?1
