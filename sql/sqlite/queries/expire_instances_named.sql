-- Ends the leases of earlier epochs, so that the rescue frees their rows at once. The file has one engine at a time,
-- so on SQLite every earlier epoch is over, whatever its name.
-- ?1 the moment their lease is over
UPDATE instances SET lease_until = ?1 WHERE lease_until > ?1
