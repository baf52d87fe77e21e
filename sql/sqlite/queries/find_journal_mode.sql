-- only sqlite: PostgreSQL has one way to write its log. How the file is written.
SELECT journal_mode FROM pragma_journal_mode
