//! Server-sent events: the same under every chunking.

use lookback_wire::{SseError, SseEvent, SseParser};

use crate::chunks::Cut;

/// Small, so that the limit is met with as well.
const LIMIT: usize = 256;

pub fn events_do_not_depend_on_chunks(input: &[u8]) {
    let cut = Cut::new(input);
    let whole = read(std::iter::once(cut.bytes));
    assert_eq!(read(cut.chunks()), whole);
    assert_eq!(read(cut.bytes.chunks(1)), whole);
}

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<SseEvent>, Option<SseError>) {
    let mut parser = SseParser::with_limit(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        match parser.push(chunk) {
            Ok(more) => events.extend(more),
            Err(error) => return (events, Some(error)),
        }
    }
    // An error that came together with the last events is said at the next push.
    let error = parser.push(&[]).err();
    events.extend(parser.finish());
    (events, error)
}
