-- Hands jobs back that an epoch leased for the broker without anybody knowing; burns nothing, the due time stays. What others
-- hold at this moment is being started, and passed over.
-- $1 the epoch's first token, $2 its last, $3 jobs that are held. Needs outbox_leased and the primary key.
WITH c AS MATERIALIZED (
  SELECT q.id
    FROM outbox q
   WHERE q.status IN ('dispatching', 'publishing', 'in_flight') AND q.lease_token BETWEEN $1::bigint AND $2::bigint
     AND q.status = 'publishing' AND q.id <> ALL ($3::bigint[])
     FOR UPDATE SKIP LOCKED
)
UPDATE outbox o
   SET status = 'queued', lease_token = NULL, updated_at = now()
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
