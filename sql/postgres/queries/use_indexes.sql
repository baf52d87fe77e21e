-- only postgres: SQLite's planner knows no such setting. Plans as every session of ours does, also where a pooler refused to set it.
-- For the transaction.
SET LOCAL enable_seqscan = off
