-- Writes a pool as the configuration has it; its home stays, and one that people manage stays as they left it.
-- ?1 code, ?2 name, ?3 rate limit or null, ?4 burst, ?5 concurrency, ?6 status, ?7 limited, ?8 now
INSERT INTO dispatch_pools (code, name, rate_limit_per_minute, burst, concurrency, status, limited, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (code) DO UPDATE
SET name = excluded.name, rate_limit_per_minute = excluded.rate_limit_per_minute, burst = excluded.burst,
    concurrency = excluded.concurrency, status = excluded.status, limited = excluded.limited,
    updated_at = excluded.updated_at
WHERE managed = 0
  AND (name, rate_limit_per_minute, burst, concurrency, status, limited)
      IS NOT (excluded.name, excluded.rate_limit_per_minute, excluded.burst, excluded.concurrency, excluded.status,
              excluded.limited)
