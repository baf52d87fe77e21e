-- What the other instances that live told of their breakers. ?1 own epoch, ?2 now, ?3 of at most so many instances. Reads all of
-- them: they are few.
SELECT shown_as, breakers
FROM instances
WHERE epoch <> ?1 AND lease_until >= ?2 AND breakers <> '[]'
ORDER BY epoch
LIMIT ?3
