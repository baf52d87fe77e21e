-- An address that mails no longer go to; no row when it is on the list already. $1 client, $2 address, $3 reason, $4 whose
-- bounce it was or null.
INSERT INTO suppressions (client_id, address, reason, job_id)
VALUES ($1::int, $2::text, $3::text, $4::bigint)
ON CONFLICT (client_id, address) DO NOTHING
RETURNING address
