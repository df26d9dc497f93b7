//! Answers: whatever a server sends, the reader does not panic, and how it was cut does not matter.

use lookback_wire::{Delta, Provider, Reply, ReplyReader, StreamError, parse_reply};

use crate::chunks::Cut;

pub fn reading_does_not_depend_on_chunks(provider: Provider, input: &[u8]) {
    let cut = Cut::new(input);
    let whole = read(provider, std::iter::once(cut.bytes));
    assert_eq!(read(provider, cut.chunks()), whole);
    assert_eq!(read(provider, cut.bytes.chunks(1)), whole);
    // The same bytes as a body: an answer or an error, never a panic.
    let _ = parse_reply(provider, cut.bytes);
}

#[derive(Debug, PartialEq)]
struct Read {
    reply: Reply,
    ended: Ended,
    has_content: bool,
    is_complete: bool,
}

#[derive(Debug, PartialEq)]
enum Ended {
    /// Neighbours joined: a chunk that holds two pieces of a text may show them as one.
    With(Vec<Delta>),
    /// What the failing chunk said before is in the reply alone, so its deltas depend on the chunk.
    Failed(StreamError),
}

fn read<'a>(provider: Provider, chunks: impl Iterator<Item = &'a [u8]>) -> Read {
    let mut reader = ReplyReader::new(provider);
    let mut ended = Ended::With(Vec::new());
    for chunk in chunks {
        match (reader.push(chunk), &mut ended) {
            (Ok(more), Ended::With(deltas)) => more.into_iter().for_each(|delta| join(deltas, delta)),
            (Err(error), _) => {
                ended = Ended::Failed(error);
                break;
            }
            (Ok(_), Ended::Failed(_)) => unreachable!("reading stops at an error"),
        }
    }
    let (has_content, is_complete) = (reader.has_content(), reader.is_complete());
    Read { reply: reader.finish(), ended, has_content, is_complete }
}

fn join(deltas: &mut Vec<Delta>, delta: Delta) {
    match (deltas.last_mut(), delta) {
        (Some(Delta::Text(before)), Delta::Text(more)) | (Some(Delta::Thinking(before)), Delta::Thinking(more)) => {
            before.push_str(&more);
        }
        (_, delta) => deltas.push(delta),
    }
}
