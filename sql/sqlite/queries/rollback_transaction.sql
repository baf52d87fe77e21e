-- undoes everything the writer took.
ROLLBACK
