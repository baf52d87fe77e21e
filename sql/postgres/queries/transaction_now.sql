-- only postgres: the database has a clock of its own.
-- The transaction's time: the `now` all its statements used.
SELECT now()
