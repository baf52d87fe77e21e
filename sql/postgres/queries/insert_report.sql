-- A report came in; no row when one of this key is there already. $1 key, $2 source, $3 body. Whoever comes with the same key
-- meanwhile waits here for the end of this transaction.
INSERT INTO delivery_reports (key, source, body)
VALUES ($1::text, $2::text, $3::text::json)
ON CONFLICT (key) DO NOTHING
RETURNING number
