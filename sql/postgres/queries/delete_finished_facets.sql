-- Retention: what these jobs were found by. $1 hashes, $2 jobs. Needs the primary key.
DELETE FROM facets f
 USING unnest($1::bigint[], $2::bigint[]) AS x (hash, id)
 WHERE f.hash = x.hash AND f.id = x.id
