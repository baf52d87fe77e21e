-- What was run on this database.
SELECT name FROM schema_migrations ORDER BY name
