-- From now on contents are sealed under this key. ?1 its id, ?2 now.
INSERT INTO content_keys (key_id, added_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING
