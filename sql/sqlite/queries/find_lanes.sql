-- All lanes. They are few.
SELECT id, pool_id, client_id, channel, route FROM lanes
