//! What really happened in a session, so that no law holds only because nothing was tried.

use std::collections::BTreeMap;

use lookback_engine::{
    Session, SessionError,
    card::Alternation,
    session::{ArchiveRefused, BoardRefused, FoldRefused, LayoutRefused, UnfoldRefused},
    trace::{
        Event, EventBody,
        decision::{Author, Reach},
    },
};

#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Calls that were refused for their size.
    pub(crate) exceeded: u32,
    /// By the kind of refusal.
    pub(crate) refused: BTreeMap<&'static str, u32>,
    /// By the kind of event.
    pub(crate) recorded: BTreeMap<&'static str, u32>,
}

impl Tally {
    pub(crate) fn note_call(&mut self, session: &Session) {
        if session.state().model().alternation == Alternation::Strict {
            *self.recorded.entry("strict alternation").or_default() += 1;
        }
    }

    pub(crate) fn note_refusal(&mut self, error: &SessionError) {
        *self.refused.entry(name_of(error)).or_default() += 1;
    }

    pub(crate) fn note_events(&mut self, events: &[Event]) {
        for event in events {
            names_in(&event.event).into_iter().for_each(|name| *self.recorded.entry(name).or_default() += 1);
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.exceeded += other.exceeded;
        for (sum, more) in [(&mut self.refused, &other.refused), (&mut self.recorded, &other.recorded)] {
            more.iter().for_each(|(name, times)| *sum.entry(name).or_default() += times);
        }
    }
}

/// A refusal that has a kind of its own. Everything else is no refusal but a failure.
fn name_of(error: &SessionError) -> &'static str {
    match error {
        SessionError::Fold(refused) => match refused {
            FoldRefused::NothingToFold { .. } => "fold: nothing to fold",
            FoldRefused::TooLittle { .. } => "fold: too little",
            FoldRefused::OnlyWords { .. } => "fold only words",
            FoldRefused::SplitsStep { .. } => "fold: splits a step",
            FoldRefused::NoSuchSpan { .. } => "fold: no such span",
            FoldRefused::SpanOpen(_) => "fold: span open",
            FoldRefused::NotRaw { .. } => "fold: not raw",
            FoldRefused::NotSeenYet { .. } => "fold: not seen yet",
            FoldRefused::OutOfDate => "fold: out of date",
            FoldRefused::Proposal(_) => "fold: no proposal",
            FoldRefused::MissingFields(_) => "fold: missing fields",
            FoldRefused::Admission(_) => "fold: gate",
        },
        SessionError::Unfold(refused) => match refused {
            UnfoldRefused::NoSuchBlock { .. } => "unfold: no such block",
            UnfoldRefused::RolledBack { .. } => "unfold: rolled back",
            UnfoldRefused::AlreadyUnfolded { .. } => "unfold: already unfolded",
            UnfoldRefused::Archived { .. } => "unfold: archived",
            UnfoldRefused::SetAside { .. } => "unfold: set aside",
            UnfoldRefused::WouldNotFit { .. } => "unfold: would not fit",
        },
        SessionError::Archive(refused) => match refused {
            ArchiveRefused::NothingToArchive { .. } => "archive: nothing to archive",
            ArchiveRefused::OutOfDate => "archive: out of date",
            ArchiveRefused::NotShorter { .. } => "archive: not shorter",
            ArchiveRefused::Summary(_) => "archive: no summary",
        },
        SessionError::Board(refused) => match refused {
            BoardRefused::Proposal(_) => "delta: no proposal",
            BoardRefused::Delta(_) => "delta: board",
            BoardRefused::SaysNothing { .. } | BoardRefused::NothingAdmitted { .. } => "delta: nothing admitted",
            BoardRefused::Admission(_) => "delta: gate",
        },
        SessionError::Layout(LayoutRefused::WouldNotFit { .. }) => "layout: would not fit",
        SessionError::Layout(LayoutRefused::NothingBefore) => "layout: nothing before",
        other => panic!("an edit of an idle session fails by a kind of its own: {other:?}"),
    }
}

fn names_in(event: &EventBody) -> Vec<&'static str> {
    match event {
        EventBody::Fold(fold) => {
            let reach = match fold.reach {
                Reach::FromSeam => "fold from the seam",
                Reach::Alone => "fold alone",
            };
            let author = if fold.author == Author::Model { "fold by a model" } else { "fold by rules" };
            let mut names = vec![reach, author];
            names.extend((fold.trigger == "window").then_some("fold for the window"));
            names.extend((!fold.claims.anchors.is_empty()).then_some("fold with anchors"));
            names.extend(fold.delta.is_some().then_some("fold with a delta"));
            names
        }
        EventBody::Unfold(_) => vec!["unfold"],
        EventBody::Settle(_) => vec!["settle"],
        EventBody::Stub(_) => vec!["stub"],
        EventBody::Archive(archive) => {
            let author = match archive.author {
                Author::Rules => "archive by rules",
                Author::Model | Author::Given => "archive by a model",
                Author::TimedOut => "archive timed out",
            };
            let mut names = vec![author];
            names.extend((archive.trigger == "window").then_some("archive for the window"));
            names
        }
        EventBody::StateDelta(delta) if delta.entry.is_none() => vec!["delta in a step"],
        EventBody::StateDelta(_) => vec!["delta"],
        EventBody::LayoutChanged(change) if change.dialogue.is_some() => vec!["layout: execute"],
        EventBody::LayoutChanged(_) => vec!["layout: chat or react"],
        EventBody::HeadChanged(_) => vec!["head changed"],
        EventBody::ThinkingRefused => vec!["thinking refused"],
        EventBody::RolledBack { .. } => vec!["rollback"],
        EventBody::Forked { .. } => vec!["fork"],
        EventBody::CallStarted { cold: Some(_), .. } => vec!["call", "cold call"],
        EventBody::CallStarted { .. } => vec!["call"],
        EventBody::FileChanged(changed) if !changed.anchors.is_empty() => vec!["anchors followed"],
        EventBody::FileObserved(seen) if !seen.anchors.is_empty() => vec!["anchors followed"],
        _ => Vec::new(),
    }
}
