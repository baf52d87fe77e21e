-- Stretches a lease that still runs, and counts the others that do; no row: it was over. $1 epoch, $2 lease in microseconds,
-- $3 whether it delivers.
UPDATE instances
   SET lease_until = now() + $2::bigint * interval '1 microsecond', delivers = $3::boolean
 WHERE epoch = $1::int AND lease_until >= now()
RETURNING (SELECT count(*)::int FROM instances peer WHERE peer.epoch <> $1::int AND peer.lease_until >= now()) AS peers
