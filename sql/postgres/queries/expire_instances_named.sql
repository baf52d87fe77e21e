-- Earlier lives of an instance are over: the next rescue frees their jobs at once. $1 name.
UPDATE instances SET lease_until = now() - interval '1 second' WHERE name = $1::text AND lease_until >= now()
