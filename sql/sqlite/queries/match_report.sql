-- The mail a report belongs to. ?1 its number, ?2 job. Primary key.
UPDATE delivery_reports SET job_id = ?2 WHERE number = ?1
