-- Whether a chore's turn needs no taking: true, it is this epoch's and no other instance lives; false, it is another's that
-- lives and whose time is not over. No row: it is to be taken. So that an instance alone writes nothing every second.
-- ?1 chore, ?2 epoch, ?3 now. Primary key; reads all instances: they are few.
SELECT t.epoch = ?2
FROM chore_turns AS t
WHERE t.chore = ?1
  AND CASE WHEN t.epoch = ?2
           THEN NOT EXISTS (SELECT 1 FROM instances AS i WHERE i.epoch <> t.epoch AND i.lease_until >= ?3)
           ELSE t.until >= ?3 AND EXISTS (SELECT 1 FROM instances AS i WHERE i.epoch = t.epoch AND i.lease_until >= ?3)
      END
