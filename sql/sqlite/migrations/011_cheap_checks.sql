-- What a row costs that is written. For operators: the indexes read `outbox` once each; nothing else is touched.
--
-- A CHECK, or the condition of a partial index, that has a list of more than two texts makes SQLite build a table of them and search it, for
-- each row and each time: a third of what the writer did. Comparisons one after the other cost next to nothing, the likely one first.
-- The statements that use these indexes say the same words, or they would not be used.

DROP INDEX outbox_leased;
CREATE INDEX outbox_leased ON outbox (lease_token)
  WHERE status = 'dispatching' OR status = 'publishing' OR status = 'in_flight';
DROP INDEX outbox_expiry;
CREATE INDEX outbox_expiry ON outbox (expires_at)
  WHERE expires_at IS NOT NULL AND (status = 'queued' OR status = 'blocked' OR status = 'published');
DROP INDEX outbox_retrying;
CREATE INDEX outbox_retrying ON outbox (client_id)
  WHERE (retry_count > 0 OR deferrals > 0 OR partial = 1)
    AND (status = 'queued' OR status = 'blocked' OR status = 'publishing' OR status = 'published' OR status = 'dispatching'
         OR status = 'in_flight');

-- The CHECKs say what they said, so the rows fit them as they are. Changed in the text of the tables, the way SQLite's documentation of
-- ALTER TABLE describes for changes like this one.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql,
    'status IN (''queued'', ''blocked'', ''publishing'', ''published'', ''dispatching'', ''in_flight'',
                                         ''sent'', ''failed'', ''cancelled'')',
    'status = ''queued'' OR status = ''dispatching'' OR status = ''sent'' OR status = ''blocked'' OR status = ''publishing''
     OR status = ''published'' OR status = ''in_flight'' OR status = ''failed'' OR status = ''cancelled'''),
    'group_mode IN (''IMMEDIATE'', ''NEXT_ON_ERROR'', ''BLOCK_ON_ERROR'')',
    'group_mode IS NULL OR group_mode = ''IMMEDIATE'' OR group_mode = ''NEXT_ON_ERROR'' OR group_mode = ''BLOCK_ON_ERROR'''),
    'dead_reason IN (''MaxAttemptsExceeded'', ''PermanentFailure'', ''Expired'', ''Abandoned'',
                                          ''Uncertain'')',
    'dead_reason IS NULL OR dead_reason = ''MaxAttemptsExceeded'' OR dead_reason = ''PermanentFailure''
     OR dead_reason = ''Expired'' OR dead_reason = ''Abandoned'' OR dead_reason = ''Uncertain'''),
    'status IN (''blocked'', ''sent'', ''failed'', ''cancelled'')',
    'status = ''blocked'' OR status = ''sent'' OR status = ''failed'' OR status = ''cancelled''')
  WHERE type = 'table' AND name = 'outbox';
UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''waiting'', ''taken'', ''refused'', ''suppressed'', ''delivered'', ''bounced'')',
    'status = ''taken'' OR status = ''waiting'' OR status = ''refused'' OR status = ''suppressed'' OR status = ''delivered''
     OR status = ''bounced''')
  WHERE type = 'table' AND name = 'recipients';
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
    'status IN (''SUCCESS'', ''CLIENT_ERROR'', ''SERVER_ERROR'', ''TIMEOUT'', ''CONNECTION_ERROR'')',
    'status = ''SUCCESS'' OR status = ''CLIENT_ERROR'' OR status = ''SERVER_ERROR'' OR status = ''TIMEOUT''
     OR status = ''CONNECTION_ERROR'''),
    'verdict IN (''delivered'', ''deferred'', ''transient'', ''permanent'', ''route_fault'', ''configuration'',
                                  ''uncertain'', ''released'')',
    'verdict IS NULL OR verdict = ''delivered'' OR verdict = ''deferred'' OR verdict = ''transient'' OR verdict = ''permanent''
     OR verdict = ''route_fault'' OR verdict = ''configuration'' OR verdict = ''uncertain'' OR verdict = ''released'''),
    'error_type IN (''TRANSIENT'', ''PERMANENT'', ''UNKNOWN'')',
    'error_type IS NULL OR error_type = ''TRANSIENT'' OR error_type = ''PERMANENT'' OR error_type = ''UNKNOWN''')
  WHERE type = 'table' AND name = 'attempts';
PRAGMA writable_schema = RESET;
