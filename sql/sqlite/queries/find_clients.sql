-- All clients. They are few.
SELECT id, name FROM clients
