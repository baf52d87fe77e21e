-- Retention: one thing a job could be found by. ?1 hash, ?2 job. Primary key.
DELETE FROM facet_index WHERE hash = ?1 AND id = ?2
