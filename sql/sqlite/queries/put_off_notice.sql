-- A notice is tried again later. ?1 number, ?2 when. Primary key.
UPDATE mail_notices SET not_before = ?2, tries = tries + 1 WHERE number = ?1 AND read_at IS NULL
