-- only postgres: SQLite has one instance.
-- From now on this session hears of new work.
LISTEN eilbote_work
