-- What a report is decided by, beside the row. ?1 id. Primary key.
SELECT m.id, m.recipients, m.retry FROM messages AS m WHERE m.id = ?1
