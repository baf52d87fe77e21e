-- only sqlite: in PostgreSQL settle writes them.
-- Attempts, on record until retention. ?1 rows of: job, token, number, attempted_at, completed_at, duration (ms), status,
-- route, code, verdict, smtp code, enhanced code, response code, error message, error type or null, deferral, provider's
-- message id, response body, diagnostic
INSERT INTO attempts (job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
                      smtp_code, enhanced_code, response_code, error_message, error_type, deferral, provider_message_id,
                      response_body, diagnostic)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 FROM given(?1)
