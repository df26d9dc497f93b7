//! The invariants of the design (2-model.md) as properties over random sessions.
//!
//! Each runs at least 1,000 sessions with spans, parallel and interrupted calls, forks, rollbacks, huge and empty outputs,
//! CJK and broken UTF-8, in windows of 8k, 32k and 200k.

mod driver;
mod operations;

use std::cell::Cell;

use lookback_engine::{
    Miss, Session,
    trace::{Event, NoBlobs, SessionId, TurnNo},
    view::Entry,
};
use lookback_wire::{Part, Provider, check_body, render_message};
use proptest::prelude::*;

use driver::{Watch, count, play, recalled};
use operations::{sessions, windows};

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(1_000), failure_persistence: None, max_shrink_iters: 4_000, ..default }
}

struct Pairs;

impl Watch for Pairs {
    fn sent(&mut self, session: &Session) {
        assert_eq!(session.sent().provider(), session.prompt_provider());
        let written = session.view().entries().iter().map(|entry| {
            let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
            render_message(session.prompt_provider(), &message)
        });
        assert!(session.sent().parts().skip(1).eq(written), "what is kept is what would be written now");
        let model = session.state().model();
        let sent = session.sent().body(&model.name, model.reserve);
        assert_eq!(sent, session.body(&NoBlobs).expect("no blobs are needed"));
        for provider in Provider::ALL {
            let body = session.body_for(provider, &NoBlobs).expect("no blobs are needed");
            if let Err(violations) = check_body(provider, &body) {
                panic!("{provider}: {violations:?}\n{}", String::from_utf8_lossy(&body));
            }
        }
    }
}

/// Recounts every view from its messages, part by part.
struct Bounded;

impl Bounded {
    fn limit(session: &Session) -> u64 {
        let window = session.state().model().window;
        u64::from(window - 32_000.min(window / 4))
    }

    fn recount(session: &Session) -> u64 {
        let mut tokens = session.view().head().tokens();
        for entry in session.view().entries() {
            let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
            let parts: u32 = message
                .parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => count(text.as_bytes()),
                    Part::Thinking(thinking) => count(thinking.text.as_bytes()),
                    Part::Call(call) => count(format!("{}{}", call.name, call.arguments).as_bytes()),
                    Part::Result(result) => count(result.text.as_bytes()),
                })
                .sum();
            tokens += u64::from(parts) + 4;
        }
        tokens
    }
}

impl Watch for Bounded {
    fn sent(&mut self, session: &Session) {
        let (tokens, limit) = (Self::recount(session), Self::limit(session));
        assert_eq!(tokens, session.view().tokens());
        assert!(tokens <= limit, "{tokens} tokens were sent, {limit} fit");
    }

    fn refused(&mut self, session: &Session) {
        assert!(Self::recount(session) > Self::limit(session), "a call that fits was refused");
    }
}

/// Watches how much is rendered and counted between two calls.
struct Monotone {
    counted: Cell<u64>,
    last: Option<Seen>,
}

struct Seen {
    session: SessionId,
    events: usize,
    rendered: u64,
    heads: u64,
    entries: Vec<Entry>,
    counted: u64,
}

impl Watch for Monotone {
    fn sent(&mut self, session: &Session) {
        let now = Seen {
            session: session.id().clone(),
            events: session.trace().len(),
            rendered: session.sent().work().messages,
            heads: session.sent().work().heads,
            entries: session.view().entries().to_vec(),
            counted: self.counted.get(),
        };
        let line = session.ledger().lines().last().expect("a call was started");
        let other_model = line.reasons.contains(&Miss::ModelChanged) || line.reasons.contains(&Miss::FirstCall);
        if let Some(before) = &self.last
            && before.session == now.session
            && !other_model
        {
            let kept = now.entries.iter().zip(&before.entries).take_while(|(now, before)| now == before).count();
            let changed = (now.entries.len() - kept) as u64;
            let rendered = now.rendered - before.rendered;
            let new_head = line.reasons.contains(&Miss::RulesChanged) || now.heads > before.heads;
            assert!(
                rendered == changed || (new_head && rendered == now.entries.len() as u64),
                "{rendered} messages were rendered where {changed} changed or followed a change"
            );
            let new = &session.trace()[before.events.min(now.events)..];
            let written: usize =
                new.iter().map(|event| serde_json::to_vec(event).expect("events are JSON").len()).sum();
            let counted = now.counted - before.counted;
            assert!(counted <= 8 * written as u64 + 4_096, "{counted} bytes were counted for {written} new ones");
        }
        self.last = Some(now);
    }

    fn count(&self, bytes: &[u8]) -> u32 {
        self.counted.set(self.counted.get() + bytes.len() as u64);
        count(bytes)
    }
}

/// Compares every ledger line with the bytes of the two prompts.
#[derive(Default)]
struct LedgerIsTrue {
    last: Option<(SessionId, Vec<Vec<u8>>)>,
}

impl Watch for LedgerIsTrue {
    fn sent(&mut self, session: &Session) {
        let parts: Vec<Vec<u8>> = session.sent().parts().map(<[u8]>::to_vec).collect();
        let line = session.ledger().lines().last().expect("a call was started");
        let size: usize = parts.iter().map(Vec::len).sum();
        assert_eq!(line.reused.bytes + line.written.bytes, size as u64);
        assert_eq!(line.reused.tokens + line.written.tokens, session.view().tokens());
        assert!(line.written.bytes == 0 || !line.reasons.is_empty(), "every miss has a reason");
        if let Some((id, before)) = &self.last
            && id == session.id()
            && !line.reasons.contains(&Miss::ModelChanged)
        {
            let same = parts.iter().zip(before).take_while(|(now, before)| now == before).count();
            let reused: usize = parts[..same].iter().map(Vec::len).sum();
            let head_changed = same == 0;
            assert!(head_changed || line.reused.bytes == reused as u64, "{line:?}: {reused} bytes are the same");
            let lost = same < before.len();
            let edits = line.reasons.iter().any(|reason| *reason != Miss::NewTurns);
            assert_eq!(lost, edits, "{line:?}: edits are named where they cost something, and only there");
        }
        self.last = Some((session.id().clone(), parts));
    }
}

struct Nothing;

impl Watch for Nothing {
    fn sent(&mut self, _session: &Session) {}
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_3_pairs(operations in sessions(), window in windows()) {
        play(&operations, window, &mut Pairs);
    }

    #[test]
    fn invariant_6_nothing_lost(operations in sessions(), window in windows()) {
        let played = play(&operations, window, &mut Nothing);
        for (turn, went_in) in &played.went_in {
            let back = recalled(&played.session, *turn, &NoBlobs);
            for (_, bytes) in went_in {
                prop_assert!(back.contains(bytes), "turn {turn} lost {:?}", String::from_utf8_lossy(bytes));
            }
        }
        for turn in 0..played.session.turns() {
            recalled(&played.session, TurnNo(turn), &NoBlobs);
        }
    }

    #[test]
    fn invariant_7_same_again(operations in sessions(), window in windows()) {
        let session = play(&operations, window, &mut Nothing).session;
        let lines: Vec<String> =
            session.trace().iter().map(|event| serde_json::to_string(event).expect("events are JSON")).collect();
        let events: Vec<Event> =
            lines.iter().map(|line| serde_json::from_str(line).expect("what was written is read")).collect();
        prop_assert_eq!(&events, session.trace());
        let again = Session::replay(events, &NoBlobs).expect("a recorded trace replays");
        for provider in Provider::ALL {
            prop_assert_eq!(session.body_for(provider, &NoBlobs), again.body_for(provider, &NoBlobs));
        }
        prop_assert_eq!(session.ledger().lines(), again.ledger().lines());
        let sent: Vec<&[u8]> = session.sent().parts().collect();
        let sent_again: Vec<&[u8]> = again.sent().parts().collect();
        prop_assert_eq!(sent, sent_again);
    }

    #[test]
    fn invariant_8_bounded(operations in sessions(), window in windows()) {
        play(&operations, window, &mut Bounded);
    }

    #[test]
    fn the_ledger_tells_the_truth(operations in sessions(), window in windows()) {
        play(&operations, window, &mut LedgerIsTrue::default());
    }

    #[test]
    fn invariant_9_monotone_cost(operations in sessions(), window in windows()) {
        play(&operations, window, &mut Monotone { counted: Cell::new(0), last: None });
    }
}
