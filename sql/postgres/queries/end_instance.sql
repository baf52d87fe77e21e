-- A clean stop: the lease is over; the row goes once nothing is leased to it. $1 epoch.
UPDATE instances SET lease_until = now() - interval '1 second' WHERE epoch = $1::int
