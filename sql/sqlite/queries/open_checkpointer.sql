-- only sqlite: settings of the checkpointer's connection (run as a script when it is opened).
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -256;
PRAGMA busy_timeout = 2000;
