-- What jobs can be found by. ?1 rows of: job, hash; each pair once, and new.
INSERT INTO facet_inbox (id, hash) SELECT c1, c2 FROM given(?1)
