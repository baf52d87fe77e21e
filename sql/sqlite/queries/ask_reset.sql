-- Asks the other instances that live and told of this breaker to close it; each reads that in its own row. ?1 own epoch, ?2 now,
-- ?3 route. Reads all instances: they are few.
UPDATE instances
SET resets = CASE WHEN EXISTS (SELECT 1 FROM json_each(instances.resets) AS asked WHERE asked.value = ?3) THEN resets
                  ELSE json_insert(resets, '$[#]', ?3) END
WHERE epoch <> ?1 AND lease_until >= ?2
  AND EXISTS (SELECT 1 FROM json_each(instances.breakers) AS told WHERE json_extract(told.value, '$.route') = ?3)
RETURNING epoch
