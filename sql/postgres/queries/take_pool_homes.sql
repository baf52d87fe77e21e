-- Makes $1 (epoch) the home of the limited pools that have no living home, and names all it is home of now. Pools are
-- few: reads them all. The rows are locked in order and skipped when another instance has them, so two heartbeats cannot
-- deadlock. updated_at stays: it is for what people see of a pool.
WITH free AS MATERIALIZED (
  SELECT p.id
    FROM dispatch_pools p
   WHERE p.limited
     AND p.home_epoch IS DISTINCT FROM $1::int
     AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.epoch = p.home_epoch AND i.lease_until >= now())
   ORDER BY p.id
     FOR UPDATE OF p SKIP LOCKED
), taken AS (
  UPDATE dispatch_pools p SET home_epoch = $1::int FROM free WHERE p.id = free.id RETURNING p.code
)
SELECT code FROM taken
UNION
SELECT code FROM dispatch_pools WHERE home_epoch = $1::int AND limited
