-- Makes the running attempt of a leased job its last; settle and rescue do the rest. ?1 id, ?2 now. Primary key.
UPDATE outbox SET cancelling = 1, updated_at = ?2 WHERE id = ?1
