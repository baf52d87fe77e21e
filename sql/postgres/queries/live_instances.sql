-- How many instances live, how many of them deliver, and the database's time. Reads all instances: they are few.
SELECT count(*)::int AS live, (count(*) FILTER (WHERE delivers))::int AS delivering, now()
  FROM instances
 WHERE lease_until >= now()
