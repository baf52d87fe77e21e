-- Retention of reports that no mail was found for; numbers grow with time. ?1 came in before, ?2 how many. Index
-- delivery_reports_job.
DELETE FROM delivery_reports
WHERE number IN (SELECT u.number FROM delivery_reports AS u WHERE u.job_id IS NULL ORDER BY u.number LIMIT ?2)
  AND at < ?1
