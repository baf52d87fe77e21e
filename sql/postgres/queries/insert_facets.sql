-- What jobs can be found by. $1 hashes, $2 jobs; each pair once, and new.
INSERT INTO facets (hash, id)
SELECT unnest($1::bigint[]), unnest($2::bigint[])
