//! The text that stands for archived rounds: the seed's fixed template (docs/seeds.md A5), filled by rules, with what a
//! model chose beside it, or what remains when the model did not answer in time (E2).
//!
//! When rounds are archived, which ones, and who calls the model is not known here. The user's turns are written from
//! the trace.

mod admit;
mod budget;
mod done;
mod files;
mod rules;
mod summary;
pub(crate) mod time;

pub(crate) use files::changed_paths;
pub(crate) use rules::summarise_by_rules;
pub(crate) use summary::Summary;

use crate::{
    block::{
        render_pinned,
        user::{WayBack, render_user_turns},
        way_back, wrap,
    },
    configuration::BlockLimits,
    state::Bench,
    trace::{Timestamp, claim::Quote, decision::TurnRange},
};

/// docs/seeds.md E2, word for word.
pub(crate) const TIMED_OUT: &str = "Summary generation timed out, keeping recent history only.";

const TITLE: &str = "## 📌 Archived Session Summary";

/// A part of the template. Their order is the template's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "named as in the template")]
pub enum Section {
    Objectives,
    TechnicalContext,
    Done,
    Insights,
    Files,
}

impl Section {
    /// In their order.
    pub const ALL: [Self; 5] = [Self::Objectives, Self::TechnicalContext, Self::Done, Self::Insights, Self::Files];

    /// As it stands in `prompts/*/archive_summary.txt`.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Objectives => "### 🎯 Objectives & Status",
            Self::TechnicalContext => "### 🏗️ Technical Context (Static)",
            Self::Done => "### ✅ Completed Milestones (The \"Done\" Pile)",
            Self::Insights => "### 🧠 Key Insights & Decisions (Persistent Memory)",
            Self::Files => "### 📂 File System State (Snapshot)",
        }
    }
}

/// How much of the template was filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArchiveBody {
    Whole(Summary),
    /// Nobody: only the lists of done items and files are kept from the summary by rules.
    TimedOut(Summary),
}

/// Archive `number`, for the rounds of `range`. `count` is the session's counter; it decides where long user turns are
/// cut.
pub(crate) fn render_archive(
    bench: Bench<'_>,
    number: u32,
    range: TurnRange,
    body: &ArchiveBody,
    pinned: &[Quote],
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let mut text = format!(
        "ARCHIVED_SESSION v{number} · replaces turn#{} to turn#{} · {}\n",
        range.first,
        range.last,
        way_back(bench.history)
    );
    text.push_str(&render_user_turns(bench.history, range, WayBack::Own, limits, count));
    text.push_str(&render_pinned(pinned));
    let times = times_of(bench, range);
    text.push_str(&match body {
        ArchiveBody::Whole(summary) => render_template(times, |section| summary.section(section)),
        ArchiveBody::TimedOut(summary) => {
            let lists =
                [Section::Done, Section::Files].map(|section| render_section(section, &summary.section(section)));
            format!("\n{TIMED_OUT}\nturn#{} to turn#{} left the view.\n{}", range.first, range.last, lists.concat())
        }
    });
    wrap(&text)
}

fn render_template((from, to): (Timestamp, Timestamp), content: impl Fn(Section) -> String) -> String {
    let (from, to) = (time::render_utc(from), time::render_utc(to));
    let sections: String = Section::ALL.into_iter().map(|section| render_section(section, &content(section))).collect();
    format!("\n{TITLE}\n*(Contains context from {from} to {to} UTC)*\n{sections}")
}

/// A heading stands there even with nothing below it: then nothing is known.
fn render_section(section: Section, content: &str) -> String {
    let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    format!("\n{}\n{content}{end}", section.heading())
}

/// When the first and the last thing of a range happened, by its own events.
pub(crate) fn times_of(bench: Bench<'_>, range: TurnRange) -> (Timestamp, Timestamp) {
    let mut events = bench.history.live_events(range).map(|event| event.at);
    let first = events.next().unwrap_or(Timestamp(0));
    (first, events.next_back().unwrap_or(first))
}

#[cfg(test)]
mod tests;
