-- The epochs of an instance, over or not. $1 name. Reads all instances: they are few.
SELECT i.epoch FROM instances i WHERE i.name = $1::text ORDER BY i.epoch
