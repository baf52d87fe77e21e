-- Instances with their leases, the newest first. ?1 at most. Reads all of them: they are few.
SELECT name, lease_until FROM instances ORDER BY epoch DESC LIMIT ?1
