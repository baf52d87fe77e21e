-- The mail of the report of this key. $1 key. Needs its unique index.
SELECT r.job_id FROM delivery_reports r WHERE r.key = $1::text
