-- A new epoch.
-- ?1 name, ?2 now, ?3 lease end. Answers the epoch.
INSERT INTO instances (name, started_at, lease_until)
VALUES (?1, ?2, ?3)
RETURNING epoch
