-- only postgres: SQLite has one instance.
-- Tells every instance that there is new work; never inside the transaction that brings it.
NOTIFY eilbote_work
