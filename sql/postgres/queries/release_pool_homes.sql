-- Hands the homes of an epoch over to whoever asks next. $1 epoch.
UPDATE dispatch_pools SET home_epoch = NULL WHERE home_epoch = $1::int
