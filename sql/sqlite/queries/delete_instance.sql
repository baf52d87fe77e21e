-- Removes an epoch that is over and has no leased rows left.
-- ?1 epoch, ?2 now, ?3 and ?4 the first and last token of the epoch. Primary key; index outbox_leased.
DELETE FROM instances
WHERE epoch = ?1 AND lease_until < ?2
  AND NOT EXISTS (SELECT 1 FROM outbox
                  WHERE (status = 'dispatching' OR status = 'publishing' OR status = 'in_flight') AND lease_token BETWEEN ?3 AND ?4)
