-- How many retries are due, counted up to $1, and the database's time. Needs outbox_retry_due.
SELECT count(*), now()
  FROM (SELECT 1
          FROM outbox o
         WHERE o.status = 'queued' AND (o.retry_count > 0 OR o.deferrals > 0 OR o.partial)
           AND o.next_attempt_at <= now()
         LIMIT $1::int) counted
