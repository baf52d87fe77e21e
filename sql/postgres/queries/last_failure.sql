-- The latest attempt with an error of each of these jobs. $1 ids. Needs the primary key.
SELECT a.job_id, a.token, a.number, a.attempted_at, a.completed_at, a.duration_ms, a.status, a.route, a.code, a.verdict,
       a.smtp_code, a.enhanced_code, a.response_code, a.error_message, a.error_type, a.deferral,
       a.response_body, a.diagnostic
  FROM unnest($1::bigint[]) AS x (id)
 CROSS JOIN LATERAL (
   SELECT *
     FROM attempts f
    WHERE f.job_id = x.id AND f.error_type IS NOT NULL
    ORDER BY f.number DESC
    LIMIT 1) a
