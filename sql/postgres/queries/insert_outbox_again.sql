-- The jobs of a commit whose answer was lost: those that are there already stay as they are and are not returned.
-- Parameters as in insert_outbox. Waits for a commit that is still under way.
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, expires_at, max_attempts, group_id,
                    group_mode, sequence, place, callback)
SELECT x.id, x.lane_id, x.client_id, x.channel,
       CASE WHEN x.group_id IS NULL THEN 'queued' ELSE 'blocked' END,
       greatest(now(), x.scheduled_for), x.expires_at, x.max_attempts, x.group_id, x.group_mode, x.sequence,
       CASE WHEN x.group_id IS NOT NULL THEN nextval('outbox_place') END, x.callback
  FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::int[],
              $8::bigint[], $9::text[], $10::int[], $11::boolean[])
       AS x (id, lane_id, client_id, channel, scheduled_for, expires_at, max_attempts, group_id, group_mode, sequence,
             callback)
ON CONFLICT (id) DO NOTHING
RETURNING id
