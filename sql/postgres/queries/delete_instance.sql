-- Forgets an instance whose life is over and that holds nothing any more. $1 epoch, $2 its first token, $3 its last.
DELETE FROM instances i
 WHERE i.epoch = $1::int AND i.lease_until < now()
   AND NOT EXISTS (SELECT 1
                     FROM outbox o
                    WHERE o.status IN ('dispatching', 'publishing', 'in_flight')
                      AND o.lease_token BETWEEN $2::bigint AND $3::bigint)
