-- Every client, for the memory of the program.
SELECT id, name FROM clients
