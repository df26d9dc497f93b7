-- What each call was billed, by its model: prices differ by model and by the size of a prompt, and change.
CREATE TABLE bills (
    session INTEGER NOT NULL REFERENCES sessions (key),
    call INTEGER NOT NULL,
    model TEXT NOT NULL,
    uncached INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    written INTEGER NOT NULL,
    written_1h INTEGER NOT NULL,
    output INTEGER NOT NULL,
    PRIMARY KEY (session, call)
) WITHOUT ROWID;
