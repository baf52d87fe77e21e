-- All pools as people see them, by code. No parameters; pools are few.
SELECT id, code, name, rate_limit_per_minute, burst, concurrency, limited, status, updated_at
FROM dispatch_pools
ORDER BY code
