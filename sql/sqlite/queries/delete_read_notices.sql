-- Notices that were read long ago. ?1 read before, ?2 how many. Index mail_notices_read.
DELETE FROM mail_notices
WHERE number IN (SELECT n.number FROM mail_notices AS n WHERE n.read_at < ?1 ORDER BY n.read_at LIMIT ?2)
