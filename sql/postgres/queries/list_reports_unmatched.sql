-- Reports that no mail of ours was found for, newest first. $1 below this number or null, $2 rows at most. Needs
-- delivery_reports_unmatched.
SELECT r.number, r.at, r.source, r.job_id, r.body
  FROM delivery_reports r
 WHERE r.job_id IS NULL AND ($1::bigint IS NULL OR r.number < $1::bigint)
 ORDER BY r.number DESC
 LIMIT $2::int
