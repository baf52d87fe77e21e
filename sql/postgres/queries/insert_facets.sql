-- What jobs can be found by. $1 hashes, $2 jobs; the same facet twice on a job counts once.
INSERT INTO facets (hash, id)
SELECT * FROM unnest($1::bigint[], $2::bigint[])
ON CONFLICT DO NOTHING
