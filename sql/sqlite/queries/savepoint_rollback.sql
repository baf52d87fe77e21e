-- only sqlite: undoes one piece of work; the savepoint stays until released.
ROLLBACK TO job
