-- How many retries are due, counted up to a bound. ?1 now, ?2 bound. Index outbox_retries.
SELECT count(*) FROM (SELECT 1 FROM outbox
                      WHERE status = 'queued' AND (retry_count > 0 OR deferrals > 0 OR partial = 1)
                        AND next_attempt_at <= ?1 LIMIT ?2)
