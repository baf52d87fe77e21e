-- ?1 name, ?2 now
INSERT INTO schema_migrations (name, applied_at) VALUES (?1, ?2)
