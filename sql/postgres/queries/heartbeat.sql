-- Stretches a lease that still runs; no row: it was over. $1 epoch, $2 lease in microseconds.
UPDATE instances
   SET lease_until = now() + $2::bigint * interval '1 microsecond'
 WHERE epoch = $1::int AND lease_until >= now()
RETURNING epoch
