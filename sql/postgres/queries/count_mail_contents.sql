-- How many mails there are. Reads an index; for `rekey`, which reads everything anyway.
SELECT count(*) FROM messages
