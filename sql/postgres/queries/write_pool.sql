-- A pool as the configuration has it; one that people manage stays as they left it. $1 code, $2 name, $3 rate per minute
-- or null, $4 burst, $5 concurrency, $6 status, $7 limited.
INSERT INTO dispatch_pools AS p (code, name, rate_limit_per_minute, burst, concurrency, status, limited)
VALUES ($1::text, $2::text, $3::int, $4::int, $5::int, $6::text, $7::bool)
ON CONFLICT (code) DO UPDATE
  SET name = excluded.name, rate_limit_per_minute = excluded.rate_limit_per_minute, burst = excluded.burst,
      concurrency = excluded.concurrency, status = excluded.status, limited = excluded.limited, updated_at = now()
  WHERE NOT p.managed
    AND (p.name, p.rate_limit_per_minute, p.burst, p.concurrency, p.status, p.limited)
        IS DISTINCT FROM (excluded.name, excluded.rate_limit_per_minute, excluded.burst, excluded.concurrency,
                          excluded.status, excluded.limited)
