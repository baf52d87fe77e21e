-- A pool as the configuration has it. $1 code, $2 name, $3 rate per minute or null, $4 burst, $5 concurrency, $6 status.
INSERT INTO dispatch_pools AS p (code, name, rate_limit_per_minute, burst, concurrency, status)
VALUES ($1::text, $2::text, $3::int, $4::int, $5::int, $6::text)
ON CONFLICT (code) DO UPDATE
  SET name = excluded.name, rate_limit_per_minute = excluded.rate_limit_per_minute, burst = excluded.burst,
      concurrency = excluded.concurrency, status = excluded.status, updated_at = now()
  WHERE (p.name, p.rate_limit_per_minute, p.burst, p.concurrency, p.status)
        IS DISTINCT FROM (excluded.name, excluded.rate_limit_per_minute, excluded.burst, excluded.concurrency,
                          excluded.status)
