-- Ids leased to one epoch for delivery; what it is publishing is its publisher's. ?1 and ?2 its first and last token. Index
-- outbox_leased, which the literal list makes usable.
SELECT id FROM outbox
WHERE (status = 'dispatching' OR status = 'publishing' OR status = 'in_flight') AND status <> 'publishing'
  AND lease_token BETWEEN ?1 AND ?2
