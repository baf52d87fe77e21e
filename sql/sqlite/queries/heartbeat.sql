-- Stretches a lease that is not over.
-- ?1 epoch, ?2 now, ?3 lease end. Primary key. No row changed: the lease was over.
UPDATE instances SET lease_until = ?3 WHERE epoch = ?1 AND lease_until >= ?2
