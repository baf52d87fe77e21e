-- The latest attempt that failed. ?1 job. Primary key.
SELECT job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
       smtp_code, enhanced_code, response_code, error_message, error_type, deferral, response_body, diagnostic
FROM attempts WHERE job_id = ?1 AND error_type IS NOT NULL ORDER BY number DESC, token DESC LIMIT 1
