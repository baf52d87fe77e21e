-- From now on contents are sealed under this key. $1 its id.
INSERT INTO content_keys (key_id) VALUES ($1) ON CONFLICT DO NOTHING
