-- only sqlite: around each piece of work that shares a transaction.
SAVEPOINT job
