-- A pool made by people; no row when the code is taken. $1 code, $2 name, $3 rate per minute or null, $4 burst,
-- $5 concurrency, $6 status, $7 limited.
INSERT INTO dispatch_pools (code, name, rate_limit_per_minute, burst, concurrency, status, limited, managed)
VALUES ($1::text, $2::text, $3::int, $4::int, $5::int, $6::text, $7::bool, true)
ON CONFLICT (code) DO NOTHING
RETURNING id
