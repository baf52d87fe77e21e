-- Epochs whose lease is over. ?1 now. Reads all instances: they are few.
SELECT epoch FROM instances WHERE lease_until < ?1 ORDER BY epoch
