-- only sqlite: ends a piece of work.
RELEASE job
