-- What an operator did to a job. $1 actor, $2 act, $3 job, $4 detail, $5 trace id.
INSERT INTO audit_log (actor, act, job_id, detail, trace_id)
VALUES ($1::text, $2::text, $3::bigint, $4::jsonb, $5::text)
