-- The sums of the minutes that began after ?1. Primary key.
SELECT coalesce(sum(accepted), 0) AS accepted, coalesce(sum(delivered), 0) AS delivered,
       coalesce(sum(failed), 0) AS failed, coalesce(sum(retried), 0) AS retried
FROM flow_minutes
WHERE minute > ?1
