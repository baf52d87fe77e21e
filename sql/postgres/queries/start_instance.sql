-- A new epoch. $1 name, $2 lease in microseconds. Run after expire_instances_named in the same transaction.
INSERT INTO instances (name, lease_until)
VALUES ($1::text, now() + $2::bigint * interval '1 microsecond')
RETURNING epoch
