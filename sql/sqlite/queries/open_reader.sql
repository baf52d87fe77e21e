-- only sqlite: settings of a reader's connection (several PRAGMAs, run as a script when it is opened).
-- No memory map: mapped pages would count as the process's memory.
-- The wait comes first: the others read the file, and who opens it at the same moment may hold it.
PRAGMA busy_timeout = 250;
PRAGMA query_only = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -4096;
PRAGMA temp_store = MEMORY;
