-- What an instance is asked to close, when it is asked. $1 epoch. Primary key.
SELECT resets FROM instances WHERE epoch = $1::int AND resets <> '[]'
