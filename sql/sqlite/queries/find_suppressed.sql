-- Which of these addresses are on their client's list. ?1 rows of: client, address. Primary key.
SELECT u.client_id, u.address, u.since, u.reason
FROM given(?1) AS g
CROSS JOIN suppressions AS u ON u.client_id = g.c1 AND u.address = g.c2
