-- Takes or keeps the home of one pool, unless somebody alive holds it.
-- ?1 epoch, ?2 pool code, ?3 now. Unique index on code. Changes a row when this epoch is the home.
UPDATE dispatch_pools SET home_epoch = ?1
WHERE code = ?2
  AND (home_epoch IS NULL OR home_epoch = ?1
       OR NOT EXISTS (SELECT 1 FROM instances AS i WHERE i.epoch = home_epoch AND i.lease_until >= ?3))
