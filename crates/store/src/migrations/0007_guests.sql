-- How far the conversations of other programs have come, by the hash chain of their newest requests, and which messages of
-- theirs blocks stand for: all that a gateway has to know before it opens a session.
CREATE TABLE guest_links (
    link BLOB PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key),
    messages INTEGER NOT NULL,
    named TEXT
) WITHOUT ROWID;
CREATE INDEX guest_links_of ON guest_links (session, messages);
CREATE TABLE guest_folds (
    link BLOB PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key),
    first INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    thinking_from INTEGER NOT NULL,
    block BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX guest_folds_of ON guest_folds (session);
