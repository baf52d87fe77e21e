-- Every attempt of a job. $1 id. Needs the primary key.
SELECT a.job_id, a.token, a.number, a.attempted_at, a.completed_at, a.duration_ms, a.status, a.route, a.code, a.verdict,
       a.smtp_code, a.enhanced_code, a.response_code, a.error_message, a.error_type, a.deferral,
       a.response_body, a.diagnostic
  FROM attempts a
 WHERE a.job_id = $1::bigint
 ORDER BY a.number, a.attempted_at
