-- An address that mails no longer go to; no row when it is on the list already. ?1 client, ?2 address, ?3 reason, ?4 whose
-- bounce it was or null, ?5 now
INSERT INTO suppressions (client_id, address, reason, job_id, since) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (client_id, address) DO NOTHING
RETURNING address
