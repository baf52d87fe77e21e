-- What an operator did. ?1 at, ?2 actor, ?3 act, ?4 job, ?5 detail (JSON), ?6 trace id
INSERT INTO audit_log (at, actor, act, job_id, detail, trace_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
