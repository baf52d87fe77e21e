-- All service accounts, by code. They are few.
SELECT id, code, body, last_used_at, created_at, updated_at FROM service_accounts ORDER BY code
