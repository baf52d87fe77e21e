-- What somebody did. $1 actor, $2 act, $3 job or null, $4 detail, $5 trace id, $6 target, empty for a job.
INSERT INTO audit_log (actor, act, job_id, detail, trace_id, target)
VALUES ($1::text, $2::text, $3::bigint, $4::jsonb, $5::text, $6::text)
