-- A new payload schema. $1 id, $2 name, $3 description, $4 content (JSON), $5 created at.
INSERT INTO payload_schemas (id, name, description, content, created_at)
VALUES ($1::bigint, $2::text, $3::text, $4::text::json, $5::timestamptz)
