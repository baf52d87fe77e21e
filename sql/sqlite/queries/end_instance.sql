-- Ends a lease at a clean stop; the rescue removes the row when nothing is leased to it any more.
-- ?1 epoch, ?2 the moment the lease is over
UPDATE instances SET lease_until = min(lease_until, ?2) WHERE epoch = ?1
