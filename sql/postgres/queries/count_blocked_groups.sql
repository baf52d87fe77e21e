-- How many groups have a dead job in turn, counted up to $1. Needs outbox_blocking.
SELECT count(*) AS groups
  FROM (SELECT 1 FROM outbox o WHERE o.holds_group AND o.status = 'failed' LIMIT $1::int) counted
