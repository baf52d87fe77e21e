-- one for everything the writer took.
COMMIT
