-- The audit log says what was changed: "pool:mail", "account:acme", "breaker:hooks.example". Empty for acts on jobs, which
-- have job_id, and for entries from before.
ALTER TABLE audit_log ADD COLUMN target TEXT NOT NULL DEFAULT '';
