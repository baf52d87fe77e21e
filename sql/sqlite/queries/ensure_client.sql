-- Makes a client known. ?1 name. Answers its id; nothing when it is known already.
INSERT INTO clients (name) VALUES (?1) ON CONFLICT (name) DO NOTHING RETURNING id
