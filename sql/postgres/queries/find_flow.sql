-- The totals of the minutes that began within the last $1 microseconds, the oldest first. Primary key.
SELECT minute, accepted, delivered, failed, retried
  FROM flow_minutes
 WHERE minute > now() - $1::bigint * interval '1 microsecond'
 ORDER BY minute
