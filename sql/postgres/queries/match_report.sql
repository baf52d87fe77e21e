-- The mail a report belongs to. $1 its number, $2 job. Needs the primary key.
UPDATE delivery_reports SET job_id = $2::bigint WHERE number = $1::bigint
