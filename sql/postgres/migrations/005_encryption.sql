-- Contents sealed under a data key. For operators: takes no lock on anything else.

-- The ids of the keys that contents may be sealed under; a server without one of them refuses to start. An id says nothing
-- about its key. `eilbote rekey` leaves only the current one.
CREATE TABLE content_keys (
  key_id text PRIMARY KEY,
  added_at timestamptz NOT NULL DEFAULT now()
);
