-- only postgres: SQLite's settings are each connection's own. Settings of the server, for `eilbote doctor`. $1 names.
SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])
