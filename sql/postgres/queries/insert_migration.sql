-- Writes a migration down, in its own transaction. $1 name.
INSERT INTO schema_migrations (name) VALUES ($1::text)
