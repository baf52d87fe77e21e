-- Which of these addresses are on their client's list. $1 clients, $2 addresses, no pair twice. Needs the primary key.
SELECT u.client_id, u.address, u.since, u.reason
  FROM unnest($1::int[], $2::text[]) AS x (client_id, address)
  JOIN suppressions u ON u.client_id = x.client_id AND u.address = x.address
