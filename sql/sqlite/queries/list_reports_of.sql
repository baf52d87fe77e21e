-- A mail's reports, newest first. ?1 job, ?2 below this number, ?3 rows at most. Index delivery_reports_job.
SELECT r.number, r.at, r.source, r.job_id, r.body
FROM delivery_reports AS r
WHERE r.job_id = ?1 AND r.number < ?2
ORDER BY r.number DESC
LIMIT ?3
