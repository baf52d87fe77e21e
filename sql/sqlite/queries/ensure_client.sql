-- Makes a client known. ?1 name. Answers its id.
INSERT INTO clients (name) VALUES (?1) ON CONFLICT (name) DO UPDATE SET name = name RETURNING id
