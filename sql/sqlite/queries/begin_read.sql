-- only sqlite: one snapshot for all statements of a read.
BEGIN DEFERRED
