-- An attempt, on record until retention. ?1 job, ?2 token, ?3 number, ?4 attempted_at, ?5 completed_at, ?6 duration (ms),
-- ?7 status, ?8 route, ?9 code, ?10 verdict, ?11 smtp code, ?12 enhanced code, ?13 response code, ?14 error message,
-- ?15 error type or null, ?16 deferral, ?17 provider's message id
INSERT INTO attempts (job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
                      smtp_code, enhanced_code, response_code, error_message, error_type, deferral, provider_message_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
