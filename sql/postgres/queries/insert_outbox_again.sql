-- The jobs of a commit whose answer was lost: those that are there already stay as they are and are not returned.
-- Parameters as in insert_outbox. Waits for a commit that is still under way.
INSERT INTO outbox (id, lane_id, client_id, channel, status, next_attempt_at, expires_at, max_attempts, group_id,
                    group_mode, sequence, place, callback)
SELECT x.id, x.lane_id, x.client_id, x.channel,
       CASE WHEN x.group_id IS NULL THEN 'queued' ELSE 'blocked' END,
       greatest(now(), x.scheduled_for), x.expires_at, x.max_attempts, x.group_id, x.group_mode, x.sequence,
       CASE WHEN x.group_id IS NOT NULL THEN nextval('outbox_place') END, x.callback
  FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::int[]) AS lane_id, unnest($3::int[]) AS client_id,
               unnest($4::text[]) AS channel, unnest($5::timestamptz[]) AS scheduled_for,
               unnest($6::timestamptz[]) AS expires_at, unnest($7::int[]) AS max_attempts,
               unnest($8::bigint[]) AS group_id, unnest($9::text[]) AS group_mode, unnest($10::int[]) AS sequence,
               unnest($11::boolean[]) AS callback) AS x
ON CONFLICT (id) DO NOTHING
RETURNING id
