-- Every lane with its names, for the memory of the program. They are few.
SELECT l.id, l.channel, c.name, p.code, l.route, l.client_id
FROM lanes AS l
JOIN clients AS c ON c.id = l.client_id
JOIN dispatch_pools AS p ON p.id = l.pool_id
