-- The mail that a provider calls by this id, the latest of several: queue ids come back after a while. ?1 the provider's id.
-- Indexes attempts_provider_id and graph_drafts_draft.
SELECT o.id
FROM (SELECT a.job_id, a.attempted_at AS at
      FROM attempts AS a
      WHERE a.provider_message_id = ?1 AND a.provider_message_id <> '' AND a.route <> 'capture'
      UNION ALL
      SELECT d.job_id, d.noted_at FROM graph_drafts AS d WHERE d.draft_id = ?1 AND d.draft_id <> '') AS x
CROSS JOIN outbox AS o ON o.id = x.job_id
WHERE o.channel = 'mail'
ORDER BY x.at DESC, o.id DESC
LIMIT 1
