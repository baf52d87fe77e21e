-- What a channel needs of these webhook jobs. $1 ids. Needs the primary key.
SELECT w.id, w.job, w.trace_id, w.payload
  FROM webhooks w
 WHERE w.id = ANY ($1::bigint[])
