-- Migrations that were run, in their order.
SELECT name FROM schema_migrations ORDER BY name
