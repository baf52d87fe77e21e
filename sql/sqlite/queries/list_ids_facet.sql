-- Jobs with a facet, newest first. ?1 hash, ?2 ids below, ?3 ids from, ?4 how many. Primary key.
SELECT id FROM facets WHERE hash = ?1 AND id < ?2 AND id >= ?3 ORDER BY id DESC LIMIT ?4
