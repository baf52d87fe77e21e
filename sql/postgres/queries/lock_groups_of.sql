-- only postgres: SQLite has a single writer.
-- Takes the locks of the groups these jobs are in, in order, until the end of the transaction. $1 job ids.
-- A job's group never changes, so reading it before the lock is safe. Needs the primary key.
SELECT pg_advisory_xact_lock(s.group_id)
  FROM (SELECT DISTINCT o.group_id
          FROM outbox o
         WHERE o.id = ANY ($1::bigint[]) AND o.group_id IS NOT NULL
         ORDER BY o.group_id
        OFFSET 0) s
