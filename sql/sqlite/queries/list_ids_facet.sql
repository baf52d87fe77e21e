-- Jobs with a facet, newest first. ?1 hash, ?2 ids below, ?3 ids from, ?4 how many. Primary keys, merged; the inbox is
-- small.
SELECT id FROM facet_index WHERE hash = ?1 AND id < ?2 AND id >= ?3
UNION ALL
SELECT id FROM facet_inbox WHERE hash = ?1 AND id < ?2 AND id >= ?3
ORDER BY id DESC LIMIT ?4
