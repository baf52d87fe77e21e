-- All pools. They are few.
SELECT id, code FROM dispatch_pools ORDER BY code
