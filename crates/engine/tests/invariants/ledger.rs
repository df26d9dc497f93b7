//! The ledger tells the truth: every line agrees with the bytes of the two prompts that it compares.

use lookback_engine::{LedgerLine, Miss, Session, Size, trace::SessionId};
use lookback_wire::render_head;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Watch, play},
    operations::{sessions, settings},
    walk::rendered,
};

#[derive(Default)]
struct LedgerIsTrue {
    last: Option<(SessionId, Vec<Vec<u8>>)>,
}

impl Watch for LedgerIsTrue {
    fn sent(&mut self, session: &Session, _counted: u64) {
        let provider = session.prompt_provider();
        let messages = session.view().entries().iter().map(|entry| rendered(session, entry, provider));
        let parts: Vec<Vec<u8>> = [render_head(provider, &session.head())].into_iter().chain(messages).collect();
        assert!(session.sent().holds(parts[1..].iter().map(Vec::as_slice)), "as it was sent");
        let line = session.ledger().last().expect("a call was started");
        let size: usize = parts.iter().map(Vec::len).sum();
        assert_eq!(line.reused.bytes + line.written.bytes, size as u64);
        assert_eq!(line.reused.tokens + line.written.tokens, session.view().tokens());
        assert!(line.written.bytes == 0 || !line.reasons.is_empty(), "every miss has a reason");
        let is_cold = line.reasons.iter().any(|reason| matches!(reason, Miss::Cold(_)));
        let base_held = line.reasons.iter().any(|reason| matches!(reason, Miss::Cold(cold) if cold.base_held));
        if is_cold && line.reused != Size::default() {
            let base = Size { tokens: session.view().head().tokens(), bytes: parts[0].len() as u64 };
            assert!(
                base_held && line.reused == base,
                "{line:?}: of a cold cache nothing is reused but a base for an hour"
            );
        }
        if let Some((id, before)) = &self.last
            && id == session.id()
            && !line.reasons.contains(&Miss::ModelChanged)
        {
            compare(&parts, before, line, is_cold);
        }
        self.last = Some((session.id().clone(), parts));
    }
}

fn compare(parts: &[Vec<u8>], before: &[Vec<u8>], line: &LedgerLine, is_cold: bool) {
    let same = parts.iter().zip(before).take_while(|(now, before)| now == before).count();
    let reused: usize = parts[..same].iter().map(Vec::len).sum();
    let head_changed = same == 0;
    if head_changed && !is_cold {
        let why =
            |reason: &Miss| matches!(reason, Miss::RulesChanged | Miss::Drift | Miss::LayoutChanged | Miss::RolledBack);
        assert!(line.reasons.iter().any(why), "{line:?}: a new head has a reason");
    }
    if !is_cold {
        assert!(head_changed || line.reused.bytes == reused as u64, "{line:?}: {reused} bytes are the same");
        let lost = same < before.len();
        let edits = line.reasons.iter().any(|reason| *reason != Miss::NewTurns);
        assert_eq!(lost, edits, "{line:?}: edits are named where they cost something, and only there");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_ledger_tells_the_truth(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut LedgerIsTrue::default());
    }
}
