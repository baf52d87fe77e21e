-- only sqlite: settings of the checkpointer's connection (run as a script when it is opened). It waits for nobody: a reader of
-- another process (a backup) may take its time, and meanwhile nobody could write.
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -256;
PRAGMA busy_timeout = 0;
