-- The same contents under another key. $1 ids, $2 MIME bytes, $3 meta. Primary key.
UPDATE messages m
   SET mime = n.mime, meta = n.meta
  FROM unnest($1::bigint[], $2::bytea[], $3::jsonb[]) AS n (id, mime, meta)
 WHERE m.id = n.id
