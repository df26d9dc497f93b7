-- What a list of sessions shows of each: who recorded it, how many calls of a model it has, and what they were billed.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN uncached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN written_1h INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN output INTEGER NOT NULL DEFAULT 0;
