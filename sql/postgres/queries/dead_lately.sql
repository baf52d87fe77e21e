-- How many jobs died within the last $2 microseconds, counted up to $1. Needs outbox_dead.
SELECT count(*) AS dead
  FROM (SELECT 1
          FROM outbox o
         WHERE o.status = 'failed'
           AND coalesce(o.finished_at, o.last_attempt_at, o.created_at) > now() - $2::bigint * interval '1 microsecond'
         ORDER BY coalesce(o.finished_at, o.last_attempt_at, o.created_at) DESC
         LIMIT $1::int) counted
