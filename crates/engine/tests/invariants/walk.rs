//! Goes through a recorded trace event by event, and knows the bytes of each part of a view.

use lookback_engine::{
    Entry, Replay, Session,
    trace::{Event, NoBlobs},
};
use lookback_wire::{Message, Part, Provider, Role, render_message, render_messages};

use crate::driver::Played;

/// The separator between two user messages where the model refuses two in a row.
pub(crate) const SEPARATOR: &str = "Noted.";

/// A law about what single events may do.
pub(crate) trait Law {
    /// The session just before an event is applied.
    fn before(&mut self, _session: &Session, _event: &Event) {}
    fn after(&mut self, _session: &Session, _event: &Event) {}
}

/// Walks through all traces of a play, each with a law of its own.
pub(crate) fn walk<L: Law>(played: &Played, law: impl Fn() -> L) {
    for trace in played.traces() {
        let mut law = law();
        let mut replay = Replay::new(None, &NoBlobs);
        for event in trace {
            if let Some(session) = replay.session() {
                law.before(session, event);
            }
            replay.push(event.clone()).expect("a recorded trace replays");
            law.after(replay.session().expect("it has begun"), event);
        }
    }
}

/// An entry in the bytes of a provider, with what separates it.
pub(crate) fn rendered(session: &Session, entry: &Entry, provider: Provider) -> Vec<u8> {
    let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
    if !entry.separated {
        return render_message(provider, &message);
    }
    let separator = Message { role: Role::Assistant, parts: vec![Part::Text(SEPARATOR.into())] };
    render_messages(provider, &[separator, message])
}

/// The text of an entry that a program wrote.
pub(crate) fn text_of(session: &Session, entry: &Entry) -> String {
    let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
    let text = |part: &Part<'_>| if let Part::Text(text) = part { text.to_string() } else { String::new() };
    message.parts.iter().map(text).collect()
}

/// The view in the bytes of a provider, with the length of what stands before each entry, and at last of everything.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Body {
    pub(crate) fn of(session: &Session, provider: Provider) -> Self {
        let bytes = session.body_for(provider, &NoBlobs).expect("no blobs are needed");
        // Entries are divided by commas where the body is JSON, and some say nothing in some renderings.
        let divider = usize::from(provider != Provider::React);
        let sizes: Vec<usize> = session
            .view()
            .entries()
            .iter()
            .map(|entry| rendered(session, entry, provider).len())
            .map(|size| if size == 0 { 0 } else { size + divider })
            .collect();
        // The last comma is not written, the end of the list is.
        let end = if provider == Provider::React { bytes.len() } else { bytes.len() - "]}".len() + 1 };
        let head = end - sizes.iter().sum::<usize>();
        let starts = sizes.iter().scan(head, |start, size| Some(std::mem::replace(start, *start + size)));
        Self { starts: starts.chain([end]).collect(), bytes }
    }

    /// Everything before an entry, head included.
    pub(crate) fn before(&self, place: usize) -> &[u8] {
        &self.bytes[..self.starts[place].min(self.bytes.len())]
    }
}
