-- A mail that was sent now, and whose recipients were reported on while others still waited, is what they say. ?1 job, ?2 now.
-- Primary keys. Answers what it is, when it is something.
UPDATE outbox
SET report = said.report, updated_at = ?2
FROM (SELECT CASE WHEN max(r.status = 'bounced') THEN 'bounced'
                  WHEN max(r.status = 'delivered') AND NOT max(r.status = 'taken') THEN 'delivered' END AS report
      FROM recipients AS r
      WHERE r.job_id = ?1) AS said
WHERE id = ?1 AND status = 'sent' AND outbox.report IS NULL AND said.report IS NOT NULL
RETURNING report
