-- Recipients that still waited when their mail ended after a partial hand-over are refused. $1 jobs, $2 the reply.
-- Needs the primary keys.
INSERT INTO recipients AS r (job_id, n, status, reply)
SELECT m.id, n, 'refused', $2::text
  FROM messages m
 CROSS JOIN LATERAL generate_series(0, json_array_length(m.recipients) - 1) AS n
 WHERE m.id = ANY ($1::bigint[])
ON CONFLICT (job_id, n) DO UPDATE
  SET status = excluded.status, reply = excluded.reply, updated_at = now()
  WHERE r.status = 'waiting'
