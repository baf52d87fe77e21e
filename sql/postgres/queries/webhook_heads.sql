-- How the next webhook jobs' payloads lie here. $1 after this id, $2 the head asked for in hex, $3 how many. Primary key.
SELECT id, encode(convert_to(left(payload, 9), 'UTF8'), 'hex') = $2, octet_length(payload)::bigint
  FROM webhooks
 WHERE id > $1
 ORDER BY id
 LIMIT $3
