-- Recipients that still waited when their mail ended after a partial hand-over are refused.
-- ?1 job, ?2 the reply, ?3 now. Primary keys.
INSERT INTO recipients (job_id, n, status, reply, updated_at)
SELECT m.id, r.key, 'refused', ?2, ?3 FROM messages AS m, json_each(m.recipients) AS r WHERE m.id = ?1
ON CONFLICT (job_id, n) DO UPDATE
SET status = excluded.status, reply = excluded.reply, updated_at = excluded.updated_at
WHERE recipients.status = 'waiting'
