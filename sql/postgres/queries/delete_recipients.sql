-- A mail that is sent again: recipients refused, suppressed or bounced wait again. $1 job. Needs the primary key.
DELETE FROM recipients WHERE job_id = $1::bigint AND status IN ('refused', 'suppressed', 'bounced')
