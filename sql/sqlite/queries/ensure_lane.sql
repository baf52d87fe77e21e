-- Makes a lane known. ?1 pool id, ?2 client id, ?3 channel, ?4 route. Answers its id.
INSERT INTO lanes (pool_id, client_id, channel, route) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (pool_id, client_id, channel, route) DO UPDATE SET route = route
RETURNING id
