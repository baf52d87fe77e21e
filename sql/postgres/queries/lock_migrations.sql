-- only postgres: SQLite's file has one writer.
-- One migrator at a time; held by the session. The numbers spell "eilb", "migr".
SELECT pg_advisory_lock(1701407842, 1835624306)
