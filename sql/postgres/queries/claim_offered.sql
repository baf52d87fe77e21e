-- Claims jobs that a broker's messages name: those being published or published whose next attempt has the message's number;
-- without a number (a foreign producer's) those published, or queued and due. No more than one of two duplicates gets a row.
-- Rows that others hold are waited for, in the order of ids, and looked at again then: passing over one that its scheduler
-- is marking just now would lose its message. A message about a row of another kind locks nothing. The CASE keeps old
-- statistics from turning the plan towards an index on status.
-- Its transaction may have begun before the mark's it waited for: an attempt is never older than its publication.
-- $1 ids, $2 attempts (null: none given), $3 token. Needs the primary key. Returns as claim_due.
WITH c AS MATERIALIZED (
  SELECT j.id
    FROM (SELECT * FROM unnest($1::bigint[], $2::int[]) AS u (id, attempt) ORDER BY u.id) x
   CROSS JOIN LATERAL (
     SELECT q.id
       FROM outbox q
      WHERE q.id = x.id AND q.retry_count < q.max_attempts AND NOT q.cancelling
        AND CASE WHEN x.attempt IS NULL
                 THEN q.status = 'published' OR (q.status = 'queued' AND q.next_attempt_at <= now())
                 ELSE q.status IN ('publishing', 'published') AND q.attempts + 1 = x.attempt END
        FOR UPDATE) j
)
UPDATE outbox o
   SET status = 'dispatching', lease_token = $3::bigint, last_attempt_at = greatest(now(), o.last_queued_at)
 WHERE o.id = ANY (ARRAY (SELECT id FROM c))
RETURNING o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at,
          o.group_id IS NOT NULL
