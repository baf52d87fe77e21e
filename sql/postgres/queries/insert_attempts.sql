-- Attempts of jobs settled in this transaction. $1 jobs, $2 tokens, $3 numbers, $4 started, $5 completed, $6 duration in
-- milliseconds, $7 status, $8 routes, $9 codes, $10 verdicts, $11 SMTP codes, $12 enhanced codes, $13 HTTP codes,
-- $14 messages, $15 error types, $16 deferral, $17 provider's ids, $18 response bodies,
-- $19 diagnostics.
INSERT INTO attempts (job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
                      smtp_code, enhanced_code, response_code, error_message, error_type, deferral,
                      provider_message_id, response_body, diagnostic)
SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::int[]), unnest($4::timestamptz[]),
       unnest($5::timestamptz[]), unnest($6::bigint[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]),
       unnest($10::text[]), unnest($11::int[]), unnest($12::text[]), unnest($13::int[]), unnest($14::text[]),
       unnest($15::text[]), unnest($16::boolean[]), unnest($17::text[]), unnest($18::text[]), unnest($19::text[])
