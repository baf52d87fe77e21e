-- The audit log, newest first. ?1 actor, ?2 act, ?3 target, each empty for any, ?4 job, ?5 from, ?6 to, each null for any,
-- ?7 below this number, ?8 rows at most. Walks the primary key backwards: people write it, so it is short.
SELECT id, at, actor, act, job_id, detail, trace_id, target
FROM audit_log
WHERE id < ?7
  AND (?1 = '' OR actor = ?1)
  AND (?2 = '' OR act = ?2)
  AND (?3 = '' OR target = ?3)
  AND (?4 IS NULL OR job_id = ?4)
  AND (?5 IS NULL OR at >= ?5)
  AND (?6 IS NULL OR at < ?6)
ORDER BY id DESC
LIMIT ?8
