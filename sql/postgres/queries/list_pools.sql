-- All pools as people see them, by code. No parameters; pools are few.
SELECT p.id, p.code, p.name, p.rate_limit_per_minute, p.burst, p.concurrency, p.limited, p.status, p.updated_at
  FROM dispatch_pools p
 ORDER BY p.code COLLATE "C"
