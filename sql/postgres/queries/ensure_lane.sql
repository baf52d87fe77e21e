-- The lane's number, given now if it has none. $1 pool, $2 client, $3 channel, $4 route.
-- No row: a twin was committed meanwhile, ask again.
WITH made AS (
  INSERT INTO lanes (pool_id, client_id, channel, route)
  SELECT $1::int, $2::int, $3::text, $4::text
   WHERE NOT EXISTS (SELECT 1 FROM lanes
                      WHERE pool_id = $1::int AND client_id = $2::int AND channel = $3::text AND route = $4::text)
  ON CONFLICT (pool_id, client_id, channel, route) DO NOTHING
  RETURNING id
)
SELECT id FROM made
UNION ALL
SELECT id FROM lanes WHERE pool_id = $1::int AND client_id = $2::int AND channel = $3::text AND route = $4::text
