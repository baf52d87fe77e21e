-- Reports that no mail of ours was found for, newest first. ?1 below this number, ?2 rows at most. Index
-- delivery_reports_job.
SELECT r.number, r.at, r.source, r.job_id, r.body
FROM delivery_reports AS r
WHERE r.job_id IS NULL AND r.number < ?1
ORDER BY r.number DESC
LIMIT ?2
