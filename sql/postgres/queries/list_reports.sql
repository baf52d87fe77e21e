-- Reports, newest first. $1 whether only those with a mail, $2 below this number or null, $3 rows at most. Walks the primary
-- key backwards.
SELECT r.number, r.at, r.source, r.job_id, r.body
  FROM delivery_reports r
 WHERE ($2::bigint IS NULL OR r.number < $2::bigint) AND (NOT $1::boolean OR r.job_id IS NOT NULL)
 ORDER BY r.number DESC
 LIMIT $3::int
