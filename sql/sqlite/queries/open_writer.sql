-- only sqlite: settings of the writer's connection (several PRAGMAs, run as a script when it is opened).
-- A commit is on disk when it returns (FULL). Checkpoints are the checkpointer's, never a side effect of a commit.
-- Deleted content is overwritten where that costs no further page.
-- The wait comes first: the others read the file, and who opens it at the same moment may hold it.
PRAGMA busy_timeout = 2000;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 8388608;
PRAGMA cache_size = -32768;
PRAGMA temp_store = MEMORY;
PRAGMA secure_delete = FAST;
