-- Takes or keeps a chore's turn: when nobody had it, it was this epoch's, its time is over, or its holder is. A row: taken.
-- ?1 chore, ?2 epoch, ?3 now, ?4 until. Primary key; reads the holder's instance.
INSERT INTO chore_turns (chore, epoch, until)
VALUES (?1, ?2, ?4)
ON CONFLICT (chore) DO UPDATE SET epoch = excluded.epoch, until = excluded.until
WHERE chore_turns.epoch = excluded.epoch OR chore_turns.until < ?3
   OR NOT EXISTS (SELECT 1 FROM instances AS i WHERE i.epoch = chore_turns.epoch AND i.lease_until >= ?3)
RETURNING epoch
