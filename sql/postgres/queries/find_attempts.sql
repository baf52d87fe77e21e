-- Which of these attempts are on record: a settlement that matched nothing was my own lost commit, or comes too late.
-- $1 jobs, $2 tokens. Needs the primary key.
SELECT a.job_id, a.token
  FROM unnest($1::bigint[], $2::bigint[]) AS x (job_id, token)
  JOIN attempts a ON a.job_id = x.job_id AND a.token = x.token
