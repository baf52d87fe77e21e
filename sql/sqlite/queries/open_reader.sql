-- only sqlite: settings of a reader's connection (several PRAGMAs, run as a script when it is opened).
-- No memory map: mapped pages would count as the process's memory.
PRAGMA query_only = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -4096;
PRAGMA temp_store = MEMORY;
PRAGMA busy_timeout = 250;
