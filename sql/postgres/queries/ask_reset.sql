-- Asks the other instances that live and told of this breaker to close it; each reads that in its own row. $1 own epoch, $2 route.
-- Reads all instances: they are few.
UPDATE instances
   SET resets = CASE WHEN resets @> to_jsonb($2::text) THEN resets ELSE resets || to_jsonb($2::text) END
 WHERE epoch <> $1::int AND lease_until >= now()
   AND breakers @> jsonb_build_array(jsonb_build_object('route', $2::text))
RETURNING epoch
