-- A notice is tried again later. $1 number, $2 in so many microseconds. Needs the primary key.
UPDATE mail_notices
   SET not_before = now() + $2::bigint * interval '1 microsecond', tries = tries + 1
 WHERE number = $1::bigint AND read_at IS NULL
