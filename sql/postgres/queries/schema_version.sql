-- The schema's version: the name of its latest migration.
SELECT max(name) FROM schema_migrations
