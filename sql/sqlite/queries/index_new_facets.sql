-- only sqlite: the inbox of facets goes to the index, in the index's order: neighbours share a page.
INSERT INTO facet_index (hash, id) SELECT hash, id FROM facet_inbox ORDER BY hash, id
