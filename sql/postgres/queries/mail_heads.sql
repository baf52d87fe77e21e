-- How the next mails lie here. $1 after this id, $2 the head asked for in hex, $3 how many. Primary key.
SELECT id, encode(substr(mime, 1, 6), 'hex') = $2, octet_length(mime)::bigint
  FROM messages
 WHERE id > $1
 ORDER BY id
 LIMIT $3
