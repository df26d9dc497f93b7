-- Now the first 8 bytes, as a little-endian number, of the BLAKE3 over session, number, time, kind and the body as it is
-- stored. The new name keeps an older program that is still running from appending events under sums that nobody accepts.
ALTER TABLE events RENAME COLUMN checksum TO digest;
