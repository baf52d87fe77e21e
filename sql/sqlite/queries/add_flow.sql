-- Adds to the totals of a minute. ?1 minute, ?2 accepted, ?3 delivered, ?4 failed, ?5 retried. Primary key.
INSERT INTO flow_minutes (minute, accepted, delivered, failed, retried)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (minute) DO UPDATE
SET accepted = accepted + excluded.accepted, delivered = delivered + excluded.delivered,
    failed = failed + excluded.failed, retried = retried + excluded.retried
