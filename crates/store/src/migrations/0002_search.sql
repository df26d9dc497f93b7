-- A document is at most 64 kB of what an event says; numbers rise in the order of writing, and so with `seq` within a
-- session.
CREATE TABLE documents (
    document INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL,
    -- 0: the text in the event itself. 1: its output.
    field INTEGER NOT NULL,
    -- Where in that field, in bytes, and the number of its first line, from 1.
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    line INTEGER NOT NULL
);
CREATE INDEX documents_by_event ON documents (session, seq);

-- Tokens are made in Rust; `ascii` only splits them at spaces again. `extra` holds, each once, a document's joined
-- identifiers, the neighbours in its paths (`src/main`), single CJK characters, and its session (`/7`, which no text
-- gives). Beginnings are indexed by three and by five letters: without the latter, four or five letters that the most
-- frequent words begin with took 38 ms instead of 11 in a store of 1 GB; the price is a quarter of the index.
CREATE VIRTUAL TABLE words USING fts5 (
    text, extra,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '/'", prefix = '3 5'
);
