-- Retention of reports that no mail was found for; numbers grow with time. $1 retention in microseconds, $2 rows at most.
-- Needs delivery_reports_unmatched.
DELETE FROM delivery_reports r
 USING (SELECT u.number FROM delivery_reports u WHERE u.job_id IS NULL ORDER BY u.number LIMIT $2::int) c
 WHERE r.number = c.number AND r.at < now() - $1::bigint * interval '1 microsecond'
