-- only sqlite: in PostgreSQL the content says it.
-- The first event of new jobs. ?1 rows of: job, at, state, reason, actor, trace id. Without a look at the table itself
-- (insert_events has one) SQLite does not copy the rows first.
INSERT INTO mail_status (job_id, seq, at, from_state, to_state, reason, actor, trace_id)
SELECT c1, 1, c2, '', c3, c4, c5, c6 FROM given(?1)
