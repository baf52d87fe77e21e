-- These changes were handed on. $1 jobs, $2 their numbers. Needs the primary key.
UPDATE status_changes s
   SET callback = false
  FROM unnest($1::bigint[], $2::bigint[]) AS x (job_id, seq)
 WHERE s.job_id = x.job_id AND s.seq = x.seq AND s.callback
