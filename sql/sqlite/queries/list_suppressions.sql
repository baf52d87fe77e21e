-- Suppressed addresses by client and address. ?1 client or null for all, ?2 address or empty for any, ?3 and ?4 only after
-- this client and address or null, ?5 rows at most. Primary key; clients are few.
SELECT c.name, u.address, u.reason, u.job_id, u.since
FROM clients AS c
CROSS JOIN suppressions AS u ON u.client_id = c.id AND u.address > iif(c.name = ?3, ?4, '')
WHERE (?1 IS NULL OR c.name = ?1) AND (?3 IS NULL OR c.name >= ?3) AND (?2 = '' OR u.address = ?2)
ORDER BY c.name, u.address
LIMIT ?5
