-- These webhook jobs' payloads as they lie here. $1 ids. Primary key.
SELECT id, payload FROM webhooks WHERE id = ANY ($1::bigint[])
