-- Contents sealed under a data key.

-- The ids of the keys that contents may be sealed under; a server without one of them refuses to start. An id says nothing
-- about its key. `eilbote rekey` leaves only the current one.
CREATE TABLE content_keys (
  key_id TEXT PRIMARY KEY,
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
