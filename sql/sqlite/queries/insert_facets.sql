-- One thing a job can be found by. ?1 hash, ?2 job. Named twice in a mail, it is there once.
INSERT INTO facets (hash, id) VALUES (?1, ?2) ON CONFLICT DO NOTHING
