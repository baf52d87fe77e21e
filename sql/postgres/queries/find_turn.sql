-- Whether a chore's turn needs no taking: true, it is this epoch's and no other instance lives; false, it is another's that
-- lives and whose time is not over. No row: it is to be taken. So that an instance alone writes nothing every second.
-- $1 chore, $2 epoch. Needs the primary key; reads all instances: they are few.
SELECT t.epoch = $2::int
  FROM chore_turns t
 WHERE t.chore = $1::text
   AND CASE WHEN t.epoch = $2::int
            THEN NOT EXISTS (SELECT 1 FROM instances i WHERE i.epoch <> t.epoch AND i.lease_until >= now())
            ELSE t.until >= now() AND EXISTS (SELECT 1 FROM instances i WHERE i.epoch = t.epoch AND i.lease_until >= now())
       END
