-- An address is taken off a client's list; no row when it is not on it. $1 client's name, $2 address. Needs the primary key.
DELETE FROM suppressions u
 WHERE u.client_id = (SELECT c.id FROM clients c WHERE c.name = $1::text) AND u.address = $2::text
RETURNING u.address
