-- Hands jobs back that were claimed without anybody knowing; burns nothing. $1 ids, $2 first token, $3 last token of the
-- epoch they must still be leased to. Needs the primary key.
UPDATE outbox o
   SET status = 'queued', lease_token = NULL
 WHERE o.id = ANY ($1::bigint[]) AND o.lease_token BETWEEN $2::bigint AND $3::bigint
RETURNING o.id
