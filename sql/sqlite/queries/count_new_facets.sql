-- only sqlite: how many facets wait to be moved to the index. Reads the few pages of the inbox.
SELECT count(*) FROM facet_inbox
