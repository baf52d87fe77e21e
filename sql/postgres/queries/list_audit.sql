-- The audit log, newest first. $1 actor, $2 act, $3 target, each empty for any, $4 job, $5 from, $6 to, $7 below this
-- number, each null for any, $8 rows at most. Walks the primary key backwards: people write it, so it is short.
SELECT id, at, actor, act, job_id, detail::text, trace_id, target
  FROM audit_log
 WHERE ($7::bigint IS NULL OR id < $7::bigint)
   AND ($1::text = '' OR actor = $1::text)
   AND ($2::text = '' OR act = $2::text)
   AND ($3::text = '' OR target = $3::text)
   AND ($4::bigint IS NULL OR job_id = $4::bigint)
   AND ($5::timestamptz IS NULL OR at >= $5::timestamptz)
   AND ($6::timestamptz IS NULL OR at < $6::timestamptz)
 ORDER BY id DESC
 LIMIT $8::int
