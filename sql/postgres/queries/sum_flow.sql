-- The sums of the minutes that began within the last $1 microseconds. Primary key.
SELECT coalesce(sum(accepted), 0)::bigint AS accepted, coalesce(sum(delivered), 0)::bigint AS delivered,
       coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(retried), 0)::bigint AS retried
  FROM flow_minutes
 WHERE minute > now() - $1::bigint * interval '1 microsecond'
