-- Nothing is sealed under any other key any more. $1 the id of the one that stays.
DELETE FROM content_keys WHERE key_id <> $1
