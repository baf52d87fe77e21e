-- Forgets what an instance was asked to close, unless more was asked since it was read. $1 epoch, $2 what was read. Primary key.
UPDATE instances SET resets = '[]' WHERE epoch = $1::int AND resets = $2::jsonb
