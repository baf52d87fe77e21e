-- All payload schemas, newest first. They are few.
SELECT id, name, description, content, created_at FROM payload_schemas ORDER BY id DESC
