-- Notices that were read long ago. $1 so many microseconds, $2 rows at most. Needs mail_notices_read and the
-- primary key.
WITH c AS MATERIALIZED (
  SELECT n.number
    FROM mail_notices n
   WHERE n.read_at < now() - $1::bigint * interval '1 microsecond'
   ORDER BY n.read_at
   LIMIT $2::int
     FOR UPDATE SKIP LOCKED
)
DELETE FROM mail_notices WHERE number = ANY (ARRAY (SELECT number FROM c))
