-- The mail of the report of this key. ?1 key. Its unique index.
SELECT job_id FROM delivery_reports WHERE key = ?1
