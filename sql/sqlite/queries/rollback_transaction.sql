-- only sqlite: undoes everything the writer took.
ROLLBACK
