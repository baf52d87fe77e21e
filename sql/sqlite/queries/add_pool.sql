-- A pool made by people; changes no row when the code is taken.
-- ?1 code, ?2 name, ?3 rate limit or null, ?4 burst, ?5 concurrency, ?6 status, ?7 limited, ?8 now
INSERT INTO dispatch_pools (code, name, rate_limit_per_minute, burst, concurrency, status, limited, managed, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8)
ON CONFLICT (code) DO NOTHING
