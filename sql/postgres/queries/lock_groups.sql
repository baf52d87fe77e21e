-- only postgres: SQLite has a single writer.
-- Takes the groups' locks until the end of the transaction; its first statement. $1 group ids, sorted and distinct:
-- one order everywhere, so that nobody waits in a circle.
SELECT pg_advisory_xact_lock(g) FROM unnest($1::bigint[]) AS g
