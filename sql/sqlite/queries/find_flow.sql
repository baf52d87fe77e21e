-- The totals of the minutes that began after ?1, the oldest first. Primary key.
SELECT minute, accepted, delivered, failed, retried
FROM flow_minutes
WHERE minute > ?1
ORDER BY minute
