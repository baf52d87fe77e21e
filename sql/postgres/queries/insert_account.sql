-- A new service account; no row when its code is taken. $1 id, $2 code, $3 body (JSON), $4 created and updated at.
INSERT INTO service_accounts (id, code, body, created_at, updated_at)
VALUES ($1::bigint, $2::text, $3::text::json, $4::timestamptz, $4::timestamptz)
ON CONFLICT (code) DO NOTHING
RETURNING id
