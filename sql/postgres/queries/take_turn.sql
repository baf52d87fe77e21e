-- Takes or keeps a chore's turn: when nobody had it, it was this epoch's, its time is over, or its holder is. A row: taken.
-- $1 chore, $2 epoch, $3 turn in microseconds. Needs the primary key; reads the holder's instance.
INSERT INTO chore_turns AS t (chore, epoch, until)
VALUES ($1::text, $2::int, now() + $3::bigint * interval '1 microsecond')
ON CONFLICT (chore) DO UPDATE
   SET epoch = excluded.epoch, until = excluded.until
 WHERE t.epoch = excluded.epoch OR t.until < now()
    OR NOT EXISTS (SELECT 1 FROM instances i WHERE i.epoch = t.epoch AND i.lease_until >= now())
RETURNING t.epoch
