-- A pool as people want it from now on, whoever made it; its home stays. Changes no row when there is none of that code.
-- ?1 code, ?2 name, ?3 rate limit or null, ?4 burst, ?5 concurrency, ?6 status, ?7 limited, ?8 now
UPDATE dispatch_pools
SET name = ?2, rate_limit_per_minute = ?3, burst = ?4, concurrency = ?5, status = ?6, limited = ?7, managed = 1,
    updated_at = ?8
WHERE code = ?1
