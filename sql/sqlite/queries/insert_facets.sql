-- What jobs can be found by. ?1 rows of: hash, job. Named twice in a mail, it is there once.
INSERT OR IGNORE INTO facets (hash, id) SELECT c1, c2 FROM given(?1)
