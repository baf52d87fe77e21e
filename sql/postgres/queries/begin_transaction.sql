-- transactions travel as statements of a pipeline here.
-- Starts a transaction at READ COMMITTED: every statement sees what was committed before it began.
BEGIN ISOLATION LEVEL READ COMMITTED
