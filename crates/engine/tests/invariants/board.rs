//! Where the board stands (docs/design/model.md, "The board"): versions rise by one, a view holds one `STATE_BOARD`,
//! and what it and the deltas behind it say is all that the board says.

use lookback_engine::{
    Session, Source,
    trace::{Event, EventBody, TurnNo, decision::Reach},
};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play},
    operations::{sessions, settings},
    walk::{Law, text_of, walk},
};

struct BoardLaw {
    /// A fold of a range alone leaves board entries before it where they are, and the seam moves beyond them.
    left_behind: bool,
    version: u32,
    /// The tool turn of the step that was last asked for.
    step: TurnNo,
    /// Deltas that the model wrote itself, by the turn that shows them.
    in_steps: Vec<(TurnNo, u32)>,
}

impl Default for BoardLaw {
    fn default() -> Self {
        Self { left_behind: false, version: 0, step: TurnNo(0), in_steps: Vec::new() }
    }
}

/// What the view shows of the board, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Whole(u32),
    Delta(u32),
}

impl BoardLaw {
    fn shown(&self, session: &Session, from: usize) -> Vec<Shown> {
        let mut shown = Vec::new();
        for entry in &session.view().entries()[from..] {
            match entry.source {
                Source::Board => shown.push(read(&text_of(session, entry))),
                Source::Turn(turn) => {
                    let deltas = self.in_steps.iter().filter(|(shows, _)| *shows == turn);
                    shown.extend(deltas.map(|(_, version)| Shown::Delta(*version)));
                }
                _ => {}
            }
        }
        shown
    }

    fn check_view(&self, session: &Session, event: &Event) {
        let counted_from = if self.left_behind { session.view().seam() } else { 0 };
        let whole = whole_boards(&self.shown(session, counted_from));
        assert!(whole.len() <= 1, "two boards: {whole:?} with {:?}", event.event);
        let shown = self.shown(session, 0);
        let from = whole_boards(&shown).into_iter().max().unwrap_or(0);
        for version in from + 1..=session.state().board().version() {
            assert!(shown.contains(&Shown::Delta(version)), "v{version} is lost: {shown:?} with {:?}", event.event);
        }
    }
}

fn whole_boards(shown: &[Shown]) -> Vec<u32> {
    let version = |shown: &Shown| if let Shown::Whole(version) = shown { Some(*version) } else { None };
    shown.iter().filter_map(version).collect()
}

fn read(text: &str) -> Shown {
    let number = |rest: &str| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("no version: {text}"))
    };
    match (text.split_once("STATE_BOARD v"), text.split_once("STATE_DELTA v")) {
        (Some((_, rest)), _) => Shown::Whole(number(rest)),
        (None, Some((_, rest))) => Shown::Delta(number(rest)),
        (None, None) => panic!("no board entry: {text}"),
    }
}

impl Law for BoardLaw {
    fn after(&mut self, session: &Session, event: &Event) {
        let version = session.state().board().version();
        let rises = match &event.event {
            EventBody::StateDelta(delta) => {
                if delta.entry.is_none() {
                    self.in_steps.push((self.step, delta.version));
                }
                1
            }
            EventBody::Fold(fold) => {
                self.left_behind |= fold.reach == Reach::Alone;
                u32::from(fold.delta.is_some())
            }
            EventBody::RolledBack { .. } => {
                self.version = version;
                0
            }
            EventBody::AssistantTurn(turn) => {
                self.step = TurnNo(turn.turn.0 + 1);
                0
            }
            _ => 0,
        };
        assert_eq!(version, self.version + rises, "with {:?}", event.event);
        self.version = version;
        if matches!(event.event, EventBody::CallStarted { .. }) {
            self.check_view(session, event);
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_board_is_always_in_the_view_once(operations in sessions(), setting in settings()) {
        walk(&play(&operations, &setting, &mut Nothing), BoardLaw::default);
    }
}
