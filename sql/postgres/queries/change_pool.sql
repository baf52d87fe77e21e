-- A pool as people want it from now on, whoever made it; its home stays. $1 code, $2 name, $3 rate per minute or null,
-- $4 burst, $5 concurrency, $6 status, $7 limited. No row: there is none of that code.
UPDATE dispatch_pools
   SET name = $2::text, rate_limit_per_minute = $3::int, burst = $4::int, concurrency = $5::int, status = $6::text,
       limited = $7::bool, managed = true, updated_at = now()
 WHERE code = $1::text
RETURNING id
