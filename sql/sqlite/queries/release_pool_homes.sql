-- Gives up all homes of an epoch. ?1 epoch. Reads all pools: they are few.
UPDATE dispatch_pools SET home_epoch = NULL WHERE home_epoch = ?1
