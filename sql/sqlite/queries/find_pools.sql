-- only sqlite: PostgreSQL counts all pools in one statement, pool_depth.
-- All pools. They are few.
SELECT id, code FROM dispatch_pools ORDER BY code
