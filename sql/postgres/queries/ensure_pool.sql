-- The pool's number, given now if it has none (unlimited, as a job brings it). $1 code.
-- No row: a twin was committed meanwhile, ask again.
WITH made AS (
  INSERT INTO dispatch_pools (code, name)
  SELECT $1::text, $1::text WHERE NOT EXISTS (SELECT 1 FROM dispatch_pools WHERE code = $1::text)
  ON CONFLICT (code) DO NOTHING
  RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM dispatch_pools WHERE code = $1::text
