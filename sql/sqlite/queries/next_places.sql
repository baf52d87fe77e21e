-- only sqlite: places in groups' lines; PostgreSQL has a sequence for it.
-- ?1 how many. Answers the last of them.
UPDATE group_places SET last = last + ?1 RETURNING last
