-- Retention: the rows of these jobs in graph_drafts. $1 ids, locked by find_finished. Needs the primary key.
DELETE FROM graph_drafts WHERE job_id = ANY ($1::bigint[])
