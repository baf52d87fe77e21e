-- What somebody did. ?1 at, ?2 actor, ?3 act, ?4 job or null, ?5 detail (JSON), ?6 trace id, ?7 target, empty for a job
INSERT INTO audit_log (at, actor, act, job_id, detail, trace_id, target) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
