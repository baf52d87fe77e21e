-- Claims due jobs of some lanes, oldest first, passing over rows that others hold. The rows are picked and locked in the
-- CTE; the outer UPDATE goes by where they lie, which a locked row does not change, and saves looking each up by its id. One that
-- changed between the statement's snapshot and its lock is left for the next claim.
-- The planner must not see how many lanes there are: it would take every plan it makes for these for better than the generic
-- one, and plan each time, a fifth of what a claim costs.
-- $1 lanes, $2 how many of each, $3 where each lane's scan starts, $4 token. Needs outbox_ready.
WITH c AS MATERIALIZED (
  SELECT j.ctid
    FROM unnest((SELECT $1::int[]), (SELECT $2::int[]), (SELECT $3::timestamptz[])) AS l (lane, n, low)
   CROSS JOIN LATERAL (
     SELECT q.ctid
       FROM outbox q
      WHERE q.status = 'queued' AND q.lane_id = l.lane AND q.next_attempt_at >= l.low AND q.next_attempt_at <= now()
        AND q.retry_count < q.max_attempts
      ORDER BY q.next_attempt_at, q.id
      LIMIT l.n
        FOR UPDATE SKIP LOCKED) j
)
UPDATE outbox o
   SET status = 'dispatching', lease_token = $4::bigint, last_attempt_at = now()
 WHERE o.ctid = ANY (ARRAY (SELECT ctid FROM c))
RETURNING o.id, o.lane_id, o.channel, o.status, o.retry_count, o.max_attempts, o.attempts, o.deferrals, o.losses,
          o.partial, o.group_mode, o.report, o.dead_reason, o.last_error, o.created_at, o.updated_at, o.next_attempt_at,
          o.last_attempt_at, o.finished_at, o.expires_at,
          o.group_id IS NOT NULL
