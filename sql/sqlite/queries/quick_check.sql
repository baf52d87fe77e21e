-- only sqlite: PostgreSQL has tools of its own. Reads the whole file; the first fault, or ok.
SELECT quick_check FROM pragma_quick_check(1)
