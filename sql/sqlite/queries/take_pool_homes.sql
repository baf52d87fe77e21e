-- Takes or keeps the home of every limited pool, unless somebody alive holds it. Reads all pools: they are few.
-- ?1 epoch, ?2 now. Answers the codes of the pools this epoch is the home of.
UPDATE dispatch_pools SET home_epoch = ?1
WHERE limited = 1
  AND (home_epoch IS NULL OR home_epoch = ?1
       OR NOT EXISTS (SELECT 1 FROM instances AS i WHERE i.epoch = home_epoch AND i.lease_until >= ?2))
RETURNING code
