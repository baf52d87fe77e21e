-- What the other instances that live told of their breakers. $1 own epoch, $2 of at most so many instances. Reads all of them: they
-- are few.
SELECT shown_as, breakers
  FROM instances
 WHERE epoch <> $1::int AND lease_until >= now() AND breakers <> '[]'
 ORDER BY epoch
 LIMIT $2::int
