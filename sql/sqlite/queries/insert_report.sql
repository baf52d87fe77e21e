-- A report came in; no row when one of this key is there already. ?1 key, ?2 source, ?3 body, ?4 now
INSERT INTO delivery_reports (key, source, body, at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (key) DO NOTHING
RETURNING number
