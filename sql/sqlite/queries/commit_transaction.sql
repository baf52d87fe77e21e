-- only sqlite: one for everything the writer took.
COMMIT
