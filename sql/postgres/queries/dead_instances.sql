-- Epochs whose life is over: instances past their lease, and holders of leases that are no instance any more (a process
-- that was frozen, resumed and claimed after its row was gone). A loose index scan, one probe of outbox_leased an epoch.
WITH RECURSIVE holder AS (
  (SELECT o.lease_token >> 32 AS epoch
     FROM outbox o
    WHERE o.status IN ('dispatching', 'publishing', 'in_flight') AND o.lease_token IS NOT NULL
    ORDER BY o.lease_token
    LIMIT 1)
  UNION ALL
  SELECT n.epoch
    FROM holder h
   CROSS JOIN LATERAL (
     SELECT o.lease_token >> 32 AS epoch
       FROM outbox o
      WHERE o.status IN ('dispatching', 'publishing', 'in_flight') AND o.lease_token >= (h.epoch + 1) << 32
      ORDER BY o.lease_token
      LIMIT 1) n
)
SELECT h.epoch::int
  FROM holder h
 WHERE NOT EXISTS (SELECT 1 FROM instances i WHERE i.epoch = h.epoch AND i.lease_until >= now())
UNION
SELECT i.epoch FROM instances i WHERE i.lease_until < now()
ORDER BY 1
