-- New jobs; a grouped one starts blocked and gets its place in the line, in the order given, under the group's lock.
-- $1 ids, $2 lanes, $3 clients, $4 channels, $5 scheduled for (null: now), $6 expires at, $7 attempts at most,
-- $8 groups (null: none), $9 modes, $10 sequences, $11 whether changes are told to a callback. An id that exists fails the statement.
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
