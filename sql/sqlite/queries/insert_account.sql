-- A new service account; no row when its code is taken. ?1 id, ?2 code, ?3 body (JSON), ?4 created and updated at
INSERT INTO service_accounts (id, code, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
ON CONFLICT (code) DO NOTHING
