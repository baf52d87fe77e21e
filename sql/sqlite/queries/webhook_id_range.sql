-- The first and the last id of all webhook jobs; 0 when there are none. Primary key.
SELECT coalesce((SELECT min(id) FROM webhooks), 0), coalesce((SELECT max(id) FROM webhooks), 0)
