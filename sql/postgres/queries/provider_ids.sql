-- The provider's latest id for each of these jobs. $1 ids. Needs the primary key of attempts.
SELECT x.id, a.provider_message_id
  FROM unnest($1::bigint[]) AS x (id)
 CROSS JOIN LATERAL (
   SELECT f.provider_message_id
     FROM attempts f
    WHERE f.job_id = x.id AND f.provider_message_id <> ''
    ORDER BY f.number DESC
    LIMIT 1) a
