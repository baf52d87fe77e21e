-- How many instances live, how many of them deliver, and the time. ?1 now. Reads all instances: they are few.
SELECT count(*) AS live, coalesce(sum(delivers), 0) AS delivering, ?1
FROM instances
WHERE lease_until >= ?1
