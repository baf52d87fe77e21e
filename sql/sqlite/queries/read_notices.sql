-- These notices were read. ?1 rows of: number; ?2 now. Primary key.
UPDATE mail_notices SET read_at = ?2 WHERE number IN (SELECT c1 FROM given(?1)) AND read_at IS NULL
