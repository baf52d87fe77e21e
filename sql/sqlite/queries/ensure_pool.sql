-- Makes a pool known that a job names and the configuration does not; an existing one stays as it is.
-- ?1 code, ?2 burst, ?3 concurrency, ?4 now. Answers its id.
INSERT INTO dispatch_pools (code, name, burst, concurrency, status, updated_at)
VALUES (?1, ?1, ?2, ?3, 'ACTIVE', ?4)
ON CONFLICT (code) DO UPDATE SET code = code
RETURNING id
