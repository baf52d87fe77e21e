-- only sqlite: after index_new_facets, in its transaction.
DELETE FROM facet_inbox
