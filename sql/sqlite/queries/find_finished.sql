-- Jobs past their retention. ?1 status, ?2 finished before, ?3 how many. Index outbox_finished.
-- Answers what their facets are made of.
SELECT o.id, c.name, m.recipients, m.meta, w.job
FROM outbox AS o
JOIN clients AS c ON c.id = o.client_id
LEFT JOIN messages AS m ON m.id = o.id
LEFT JOIN webhooks AS w ON w.id = o.id
WHERE o.finished_at IS NOT NULL AND o.status = ?1 AND o.finished_at < ?2
ORDER BY o.finished_at LIMIT ?3
