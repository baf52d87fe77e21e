-- Every lane with its names, for the memory of the program.
SELECT l.id, l.channel, c.name, p.code, l.route, l.client_id, l.pool_id
  FROM lanes l
  JOIN clients c ON c.id = l.client_id
  JOIN dispatch_pools p ON p.id = l.pool_id
