-- Ids leased to one epoch. ?1 and ?2 its first and last token. Index outbox_leased.
SELECT id FROM outbox
WHERE status IN ('dispatching', 'publishing', 'in_flight') AND lease_token BETWEEN ?1 AND ?2
