//! Pointers that a model could cite: those of the session, and some that name nothing.

use lookback_engine::{
    Session,
    trace::{Event, EventBody},
};

use super::known_file;

/// Numbers from a seed: what they choose does not matter, only that it differs and is the same again.
pub(super) struct Choices(u64);

impl Choices {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    pub(super) fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }
}

pub(super) fn real(session: &Session, choices: &mut Choices) -> String {
    let event = |choices: &mut Choices| -> Option<&Event> {
        let trace = session.trace();
        trace.iter().cycle().skip(choices.below(trace.len())).take(trace.len()).find(|event| names(event).is_some())
    };
    match choices.below(4) {
        0 => lines(session, choices),
        1 => format!("turn#{}", choices.below(session.turns() as usize)),
        _ => event(choices).and_then(names).unwrap_or_else(|| "turn#0".into()),
    }
}

/// Lines of a file, which may have been seen.
pub(super) fn lines(session: &Session, choices: &mut Choices) -> String {
    let path = if choices.one_in(4) { "src/a.py" } else { known_file::PATH };
    let first = 1 + choices.below(20);
    let last = first + choices.below(4);
    match choices.one_in(8) {
        true => format!("file:{path}:L{first}-L{last}@turn#{}", choices.below(session.turns() as usize)),
        false => format!("file:{path}:L{first}-L{last}"),
    }
}

pub(super) fn unreal(choices: &mut Choices) -> String {
    let pointers =
        ["turn#9999", "cmd#999", "test#77 failed:x", "user#0", "gate#500", "file:nowhere.py:L1", "span#none#9", "so"];
    pointers[choices.below(pointers.len())].into()
}

fn names(event: &Event) -> Option<String> {
    match &event.event {
        EventBody::UserTurn(turn) => turn.user.map(|number| format!("user#{number}")),
        EventBody::ToolCall { cmd, .. } => cmd.map(|number| format!("cmd#{number}")),
        EventBody::GateAsked(gate) => Some(format!("gate#{}", gate.number)),
        EventBody::SpanStarted { span, .. } => Some(format!("span#{}#{}", span.name, span.number)),
        EventBody::StepEnded { shown, .. } => {
            shown.iter().find_map(|shown| shown.test).map(|number| format!("test#{number}"))
        }
        _ => None,
    }
}
