-- What jobs can be found by. $1 hashes, $2 jobs; each pair once, and new.
INSERT INTO facets (hash, id)
SELECT * FROM unnest($1::bigint[], $2::bigint[])
