-- only postgres: SQLite needs no vacuum here. How much of a table is dead, and its own settings. $1 table.
SELECT s.n_live_tup, s.n_dead_tup, s.last_autovacuum, array_to_string(c.reloptions, ' ')
  FROM pg_stat_user_tables s
  JOIN pg_class c ON c.oid = s.relid
 WHERE s.relid = to_regclass($1::text)
