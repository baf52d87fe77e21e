-- The client's number, given now if it has none. $1 name. No row: a twin was committed meanwhile, ask again.
WITH made AS (
  INSERT INTO clients (name)
  SELECT $1::text WHERE NOT EXISTS (SELECT 1 FROM clients WHERE name = $1::text)
  ON CONFLICT (name) DO NOTHING
  RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM clients WHERE name = $1::text
