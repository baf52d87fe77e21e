-- Adds to the totals of this minute. $1 accepted, $2 delivered, $3 failed, $4 retried. Primary key.
INSERT INTO flow_minutes (minute, accepted, delivered, failed, retried)
VALUES (date_trunc('minute', now(), 'UTC'), $1::bigint, $2::bigint, $3::bigint, $4::bigint)
ON CONFLICT (minute) DO UPDATE
   SET accepted = flow_minutes.accepted + excluded.accepted, delivered = flow_minutes.delivered + excluded.delivered,
       failed = flow_minutes.failed + excluded.failed, retried = flow_minutes.retried + excluded.retried
