-- Attempts of jobs settled in this transaction. $1 jobs, $2 tokens, $3 numbers, $4 started, $5 completed, $6 duration in
-- milliseconds, $7 status, $8 routes, $9 codes, $10 verdicts, $11 SMTP codes, $12 enhanced codes, $13 HTTP codes,
-- $14 messages, $15 error types, $16 deferral, $17 provider's ids, $18 response bodies,
-- $19 diagnostics.
INSERT INTO attempts (job_id, token, number, attempted_at, completed_at, duration_ms, status, route, code, verdict,
                      smtp_code, enhanced_code, response_code, error_message, error_type, deferral,
                      provider_message_id, response_body, diagnostic)
SELECT *
  FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::text[],
              $8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::int[], $14::text[], $15::text[],
              $16::boolean[], $17::text[], $18::text[], $19::text[])
