-- Stretches a lease that is not over, and counts the others that run.
-- ?1 epoch, ?2 now, ?3 lease end, ?4 whether it delivers. Primary key. No row: the lease was over.
UPDATE instances SET lease_until = ?3, delivers = ?4 WHERE epoch = ?1 AND lease_until >= ?2
RETURNING (SELECT count(*) FROM instances peer WHERE peer.epoch <> ?1 AND peer.lease_until >= ?2) AS peers
