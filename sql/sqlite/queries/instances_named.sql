-- The epochs of an instance, over or not. ?1 name. Reads all instances: they are few.
SELECT epoch FROM instances WHERE name = ?1 ORDER BY epoch
