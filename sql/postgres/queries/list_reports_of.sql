-- A mail's reports, newest first. $1 job, $2 below this number or null, $3 rows at most. Needs delivery_reports_job.
SELECT r.number, r.at, r.source, r.job_id, r.body
  FROM delivery_reports r
 WHERE r.job_id = $1::bigint AND ($2::bigint IS NULL OR r.number < $2::bigint)
 ORDER BY r.number DESC
 LIMIT $3::int
