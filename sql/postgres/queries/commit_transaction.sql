-- transactions travel as statements of a pipeline here.
-- Ends a transaction. A link that dies around it leaves the outcome open.
COMMIT
