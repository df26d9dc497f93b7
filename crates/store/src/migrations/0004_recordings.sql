-- Sessions that can be looked at and not continued: their first event says so, the list reads no events.
ALTER TABLE sessions ADD COLUMN recording INTEGER NOT NULL DEFAULT 0;
