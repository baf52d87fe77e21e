-- Mails that were sent now, and whose recipients were reported on while others still waited: they are what their recipients
-- say, with an event of its own. $1 jobs, $2 the state before, $3 and $4 the states of delivered and bounced ones, $5 reason,
-- $6 actor. Needs the primary keys.
WITH said AS (
  SELECT r.job_id,
         CASE WHEN bool_or(r.status = 'bounced') THEN 'bounced'
              WHEN bool_or(r.status = 'delivered') AND NOT bool_or(r.status = 'taken') THEN 'delivered' END AS report
    FROM recipients r
   WHERE r.job_id = ANY ($1::bigint[])
   GROUP BY r.job_id
), moved AS (
  UPDATE outbox o
     SET report = said.report, updated_at = now()
    FROM said
   WHERE o.id = said.job_id AND o.status = 'sent' AND o.report IS NULL AND said.report IS NOT NULL
  RETURNING o.id, o.report, o.callback
)
INSERT INTO status_changes (job_id, from_state, to_state, reason, actor, callback)
SELECT moved.id, $2::text, CASE moved.report WHEN 'delivered' THEN $3::text ELSE $4::text END, $5::text, $6::text,
       moved.callback
  FROM moved
