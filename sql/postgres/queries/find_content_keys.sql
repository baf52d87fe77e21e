-- The keys that contents may be sealed under. They are few.
SELECT key_id FROM content_keys ORDER BY added_at
