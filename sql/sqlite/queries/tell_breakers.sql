-- What an instance tells the others of its breakers. ?1 epoch, ?2 how people know it, ?3 a JSON array (store/breaker_json.h).
-- Primary key.
UPDATE instances SET shown_as = ?2, breakers = ?3 WHERE epoch = ?1
