-- only sqlite: retention, where a job's facets are not in the index yet. ?1 job. Primary key.
DELETE FROM facet_inbox WHERE id = ?1
