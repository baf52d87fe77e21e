-- only sqlite: after an ambiguous commit, whether a job is there already (PostgreSQL inserts ON CONFLICT DO NOTHING).
-- ?1 id. Primary key.
SELECT 1 FROM outbox WHERE id = ?1
