-- Suppressed addresses by client and address. $1 client or null for all, $2 address or empty for any, $3 and $4 only after
-- this client and address or null, $5 rows at most. Needs the primary key; clients are few.
SELECT c.name, x.address, x.reason, x.job_id, x.since
  FROM clients c
 CROSS JOIN LATERAL (
   SELECT u.address, u.reason, u.job_id, u.since
     FROM suppressions u
    WHERE u.client_id = c.id
      AND u.address > CASE WHEN c.name = $3::text THEN $4::text ELSE '' END
      AND ($2::text = '' OR u.address = $2::text)
    ORDER BY u.address
    LIMIT $5::int) x
 WHERE ($1::text IS NULL OR c.name = $1::text) AND ($3::text IS NULL OR c.name COLLATE "C" >= $3::text)
 ORDER BY c.name COLLATE "C", x.address
 LIMIT $5::int
