CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- A fork: its first events are the parent's, up to and with parent_upto.
    parent INTEGER REFERENCES sessions (key),
    parent_upto INTEGER,
    -- The number of the next event, and so the count of all events, shared ones included.
    next_seq INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    root TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    provider TEXT NOT NULL DEFAULT '',
    turns INTEGER NOT NULL DEFAULT 0,
    -- What its own events and outputs measure before compression and sharing.
    bytes INTEGER NOT NULL DEFAULT 0,
    -- 0: whole, and all that anybody sees. 1: its first events are still coming; whoever brings them holds the lock of its
    -- id. 2: removed, and being erased by whoever comes by; its id is free again.
    stage INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_stage ON sessions (stage) WHERE stage > 0;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- The JSON of the event's body. Where `unpacked` is set, it is zstd-compressed and was that long.
    unpacked INTEGER,
    body BLOB NOT NULL,
    -- The first 8 bytes of the JSON's BLAKE3, as a little-endian number.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;

CREATE TABLE blobs (
    key INTEGER PRIMARY KEY,
    -- BLAKE3 of the whole.
    hash BLOB NOT NULL UNIQUE,
    length INTEGER NOT NULL
);

-- A blob's bytes, 1 MB a chunk, packed like bodies.
CREATE TABLE chunks (
    blob INTEGER NOT NULL REFERENCES blobs (key),
    number INTEGER NOT NULL,
    unpacked INTEGER,
    bytes BLOB NOT NULL,
    PRIMARY KEY (blob, number)
) WITHOUT ROWID;

-- Which sessions' own events name a blob: it goes with the last of them.
CREATE TABLE blob_references (
    session INTEGER NOT NULL REFERENCES sessions (key),
    blob INTEGER NOT NULL REFERENCES blobs (key),
    PRIMARY KEY (session, blob)
) WITHOUT ROWID;
CREATE INDEX blob_references_by_blob ON blob_references (blob);

-- Where numbered things are: a turn, a command, a test run… by the kind of mark and its number.
CREATE TABLE marks (
    session INTEGER NOT NULL REFERENCES sessions (key),
    kind INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (session, kind, number, seq)
) WITHOUT ROWID;

-- Where a file was seen or changed.
CREATE TABLE sights (
    session INTEGER NOT NULL REFERENCES sessions (key),
    path TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (session, path, seq)
) WITHOUT ROWID;

-- How many removals have not yet been erased from the file itself: their words from the index, their pages from the end.
CREATE TABLE erasing (due INTEGER NOT NULL);
INSERT INTO erasing (due) VALUES (0);
