-- Ids of jobs found by a facet, newest first; the caller rechecks the row. $1 hashes (one a client), $2 only below,
-- $3 not below, $4 at most. Needs the primary key of facets.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::bigint[]) AS h (hash)
   CROSS JOIN LATERAL (
     SELECT x.id
       FROM facets x
      WHERE x.hash = h.hash AND x.id < $2::bigint AND x.id >= $3::bigint
      ORDER BY x.id DESC
      LIMIT $4::int) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
