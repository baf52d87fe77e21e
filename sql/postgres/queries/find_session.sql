-- only postgres: SQLite has no server. Its clock, which process of it we talk to, whether it is a replica, how many clients are
-- connected. The type of others' sessions is hidden from a role without rights; what serves no database is no client.
SELECT clock_timestamp(), pg_backend_pid(), pg_is_in_recovery(),
       (SELECT count(*) FROM pg_stat_activity
         WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend')
