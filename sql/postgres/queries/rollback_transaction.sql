-- transactions travel as statements of a pipeline here.
-- Takes back what an operation that failed half way had done.
ROLLBACK
