//! Edits of the view. One that is refused has a kind, and leaves the view as it was, byte for byte.

use lookback_engine::{
    Entry, Session, SessionError, Source,
    report::DeltaReport,
    session::{ArchiveDraft, FoldDraft, ModelAttempt, Step, Wish},
    trace::{Layout, NoBlobs, TurnNo, decision::TurnRange},
};

use super::{Driver, model_text};
use crate::operations::{ArchiveWriter, EditPlan, RangePlan, TextPlan, Writer};

/// What must be the same after a refusal.
#[derive(Debug, PartialEq)]
struct Standing {
    events: usize,
    entries: Vec<Entry>,
    seam: usize,
    tokens: u64,
    body: Vec<u8>,
}

/// Events that change nothing of what stands.
const BESIDE: [&str; 2] = ["text_refused", "configuration_changed"];

impl Standing {
    fn of(session: &Session) -> Self {
        Self {
            // That a text was refused is itself recorded, for the breaker, and by which settings it was judged.
            events: session.trace().iter().filter(|event| !BESIDE.contains(&event.event.name())).count(),
            entries: session.view().entries().to_vec(),
            seam: session.view().seam(),
            tokens: session.view().tokens(),
            body: session.body(&NoBlobs).expect("no blobs are needed"),
        }
    }
}

impl Driver<'_> {
    pub(super) fn edit(&mut self, plan: &EditPlan) {
        self.watch.edit_tried();
        match plan {
            EditPlan::Fold { writer, held } => {
                let draft = self.session.draft_fold(held.then_some("the parser"), &self.context());
                self.fold(draft, writer, *held);
            }
            EditPlan::FoldSpan { choice, writer } => {
                let spans = self.session.history().spans();
                let named = |span: &lookback_engine::trace::event::SpanId| format!("{}#{}", span.name, span.number);
                let name = spans.get(*choice).map_or("nothing#0".into(), |span| named(&span.id));
                let draft = self.session.draft_span_fold(&name, None);
                self.fold(draft, writer, false);
            }
            EditPlan::FoldRange { range, writer, held } => {
                let range = self.choose_range(*range);
                let draft = self.session.draft_range(range, None, "test");
                self.fold(draft, writer, *held);
            }
            EditPlan::CommitHeld(writer) => {
                if let Some(draft) = self.held.take() {
                    self.fold(Ok(draft), writer, false);
                }
            }
            EditPlan::Unfold { choice, shown } => {
                let in_view: Vec<u32> = self.blocks_in_view();
                let number =
                    if *shown && !in_view.is_empty() { in_view[choice % in_view.len()] } else { *choice as u32 };
                self.attempt(|session, context| session.unfold(number, context));
            }
            EditPlan::Settle => {
                self.attempt(|session, context| session.settle(context));
            }
            EditPlan::Archive(writer) => {
                let draft = self.session.draft_archive();
                self.archive(draft, writer);
            }
            EditPlan::Tidy(text) => self.tidy(*text),
            EditPlan::Delta(text) => drop(self.delta(*text)),
            EditPlan::DeltaByRules => {
                self.attempt(|session, context| session.delta_by_rules(context));
            }
            EditPlan::Layout(choice) => {
                let layout = [Layout::Chat, Layout::React, Layout::Execute][*choice];
                self.attempt(|session, context| session.change_layout(layout, context));
            }
            EditPlan::Head(text) => {
                let tools = self.session.start_of().tools.clone();
                self.session.head_changed(text.clone(), tools, &self.context()).expect("the head can change");
            }
            EditPlan::DropThinking => self.session.drop_thinking(&self.context()).expect("an idle session"),
        }
    }

    fn blocks_in_view(&self) -> Vec<u32> {
        let entries = self.session.view().entries().iter();
        entries.filter_map(|entry| if let Source::Block(number) = entry.source { Some(number) } else { None }).collect()
    }

    fn choose_range(&self, plan: RangePlan) -> TurnRange {
        let turn = |choice: usize| TurnNo((choice % (self.session.turns() as usize + 2)) as u32);
        let entries = self.session.view().entries();
        let is_raw = |step: &&Step| entries.iter().any(|entry| entry.source == Source::Turn(step.assistant));
        let raw: Vec<&Step> = self.session.state().steps().iter().filter(is_raw).collect();
        match plan {
            RangePlan::Steps { first, count } if !raw.is_empty() => {
                let first = first % raw.len();
                let last = raw[(first + count).min(raw.len()) - 1];
                TurnRange { first: raw[first].assistant, last: last.tool.unwrap_or(last.assistant) }
            }
            RangePlan::Steps { first, count } => TurnRange { first: turn(first), last: turn(first + count) },
            RangePlan::Any { first, last } => TurnRange { first: turn(first), last: turn(last) },
        }
    }

    fn fold(&mut self, draft: Result<FoldDraft, SessionError>, writer: &Writer, held: bool) {
        let draft = match draft {
            Ok(draft) if held => {
                self.held = Some(draft);
                return;
            }
            Ok(draft) => draft,
            Err(error) => return self.tally.note_refusal(&error),
        };
        match writer {
            Writer::Rules => drop(self.attempt(|session, context| session.fold_by_rules(&draft, context))),
            Writer::Model(text) => self.fold_by_model(&draft, *text),
        }
    }

    /// As a caller does it: once more after a refusal, and then by rules.
    fn fold_by_model(&mut self, draft: &FoldDraft, plan: TextPlan) {
        let text = model_text::compaction(&self.session, draft, plan);
        for attempt in [ModelAttempt::First, ModelAttempt::Repair] {
            if self.attempt(|session, context| session.fold_by_model(draft, &text, attempt, context)).is_some() {
                return;
            }
        }
        self.attempt(|session, context| session.fold_by_rules(draft, context));
    }

    fn archive(&mut self, draft: Result<ArchiveDraft, SessionError>, writer: &ArchiveWriter) {
        let draft = match draft {
            Ok(draft) => draft,
            Err(error) => return self.tally.note_refusal(&error),
        };
        let text = match writer {
            ArchiveWriter::Model(plan) => model_text::summary(&self.session, *plan),
            ArchiveWriter::Rules | ArchiveWriter::TimedOut => String::new(),
        };
        self.attempt(|session, context| match writer {
            ArchiveWriter::Rules => session.archive_by_rules(&draft, context),
            ArchiveWriter::TimedOut => session.archive_timed_out(&draft, context),
            ArchiveWriter::Model(_) => session.archive_by_model(&draft, &text, context),
        });
    }

    fn tidy(&mut self, plan: TextPlan) {
        let tidied = self.session.tidy(&self.context()).expect("an idle session can be tidied");
        match tidied.wish {
            Some(Wish::Block(draft)) => self.fold_by_model(&draft, plan),
            Some(Wish::Summary(draft)) => self.archive(Ok(draft), &ArchiveWriter::Model(plan)),
            None => {}
        }
    }

    pub(super) fn delta(&mut self, plan: TextPlan) -> Option<DeltaReport> {
        let text = model_text::delta(&self.session, plan);
        self.attempt(|session, context| session.delta_from_text(&text, context))
    }

    /// None where it was refused: then nothing has changed.
    fn attempt<T>(
        &mut self,
        edit: impl FnOnce(&mut Session, &lookback_engine::Context<'_>) -> Result<T, SessionError>,
    ) -> Option<T> {
        let context = self.context();
        let before = Standing::of(&self.session);
        match edit(&mut self.session, &context) {
            Ok(done) => Some(done),
            Err(error) => {
                self.tally.note_refusal(&error);
                assert_eq!(Standing::of(&self.session), before, "refused ({error}), and yet something has changed");
                None
            }
        }
    }
}
