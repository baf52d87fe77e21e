-- Ids of mails of some clients, newest first. $1 clients, $2 only below, $3 not below, $4 at most. Needs
-- messages_client.
WITH found AS MATERIALIZED (
  SELECT p.id
    FROM unnest($1::int[]) AS c (client)
   CROSS JOIN LATERAL (
     SELECT x.id
       FROM messages x
      WHERE x.client_id = c.client AND x.id < $2::bigint AND x.id >= $3::bigint
      ORDER BY x.id DESC
      LIMIT $4::int) p
)
SELECT id FROM found ORDER BY id DESC LIMIT $4::int
