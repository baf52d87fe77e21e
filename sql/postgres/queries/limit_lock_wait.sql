-- only postgres: SQLite's writer has its own patience.
-- For the rest of the transaction: a row that somebody else keeps locked is an error, not a wait without end.
SET LOCAL lock_timeout = 2000
