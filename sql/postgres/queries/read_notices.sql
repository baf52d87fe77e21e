-- These notices were read. $1 numbers. Needs the primary key.
UPDATE mail_notices SET read_at = now() WHERE number = ANY ($1::bigint[]) AND read_at IS NULL
