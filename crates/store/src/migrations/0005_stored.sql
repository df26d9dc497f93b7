-- When a session came into this store, in milliseconds: an import may bring events that are years old. Of sessions from
-- before this column only their last event is known.
ALTER TABLE sessions ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
