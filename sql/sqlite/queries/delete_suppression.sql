-- An address is taken off a client's list; no row when it is not on it. ?1 client's name, ?2 address. Primary key.
DELETE FROM suppressions
WHERE client_id = (SELECT c.id FROM clients AS c WHERE c.name = ?1) AND address = ?2
RETURNING address
