//! What the model is sent: layer by layer for people, or the request itself.

use std::io::{self, Write};

use anyhow::Result;
use lookback_engine::{
    Entry, Session, Source,
    trace::{
        Blobs, EventBody, Layout,
        decision::{LayoutChange, TurnRange},
    },
};
use lookback_wire::{Part, Picture, Provider, Role};
use serde_json::json;

use crate::screen::{self, Screen};

/// A line above each part; longer ones would only be more ink.
const HEADING: usize = 75;

/// Where the hot zone begins.
const SEAM: &str = "above: kept as it is, so that it is read from the provider's cache";

/// The bytes of the request; the one text of `react` inside an object, so that it is JSON, too.
pub(super) fn show_json(session: &Session, blobs: &dyn Blobs) -> Result<()> {
    let provider = session.prompt_provider();
    let body = session.body_for(provider, blobs)?;
    let mut out = screen::bytes();
    match provider {
        Provider::React => serde_json::to_writer(&mut out, &json!({"prompt": String::from_utf8_lossy(&body)}))?,
        _ => out.write_all(&body)?,
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

/// `stored` is the layout that the session has by its trace. Of the entries only those that show or stand for `turns`.
pub(super) fn show(
    session: &Session,
    name: &str,
    stored: Layout,
    turns: Option<TurnRange>,
    blobs: &dyn Blobs,
) -> Result<()> {
    let mut out = screen::screen();
    let width = screen::columns();
    let provider = session.prompt_provider();
    let view = session.view();
    let model = session.state().model();
    let layout = session.state().layout();
    let layout = match (layout == stored, layout) {
        (false, _) => format!("{layout} layout, not stored"),
        (true, Layout::Execute) => format!("{layout} layout"),
        (true, Layout::Chat | Layout::React) => String::new(),
    };
    let facts = [
        format!("session {name}"),
        provider.to_string(),
        layout,
        screen::one_line(&model.name, 40),
        format!("{} of {} tokens", screen::exact(view.tokens()), screen::exact(u64::from(model.window))),
        screen::counted(u64::from(session.turns()), "turn"),
    ];
    let facts = facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>();
    screen::write_facts(&mut out, "", &facts, width)?;
    if provider == Provider::React {
        writeln!(out)?;
        let prompt = session.body_for(provider, blobs)?;
        write!(out, "{}", String::from_utf8_lossy(&prompt))?;
        return Ok(out.flush()?);
    }
    if let Some(wanted) = turns {
        let entries = view.entries().iter().filter(|entry| is_of(session, entry, wanted));
        let mut left = view.entries().len();
        for entry in entries {
            write_entry(&mut out, session, entry, blobs)?;
            left -= 1;
        }
        let more = screen::counted(left as u64, "entry").replace("entrys", "entries");
        writeln!(out, "\n{more} beside these: lookback show {name}")?;
        return Ok(out.flush()?);
    }
    write_heading(&mut out, "L1 system and tools", u64::from(view.head().frozen_tokens))?;
    let head = session.head();
    write_text(&mut out, head.system)?;
    let tools = head.tools.iter().map(|tool| screen::one_line(&tool.name, 64)).collect::<Vec<_>>().join(", ");
    writeln!(out, "  tools: {}", if tools.is_empty() { "none" } else { &tools })?;
    if !view.head().rules.text.is_empty() {
        write_heading(&mut out, "L2 project rules", u64::from(view.head().rules.tokens))?;
        write_text(&mut out, &view.head().rules.text)?;
    }
    for (place, entry) in view.entries().iter().enumerate() {
        if place == view.seam() && place > 0 {
            write_seam(&mut out)?;
        }
        write_entry(&mut out, session, entry, blobs)?;
    }
    if view.seam() == view.entries().len() && view.seam() > 0 {
        write_seam(&mut out)?;
    }
    Ok(out.flush()?)
}

fn write_entry<W: Write>(out: &mut Screen<W>, session: &Session, entry: &Entry, blobs: &dyn Blobs) -> Result<()> {
    write_heading(out, &label(session, entry, blobs)?, u64::from(entry.tokens))?;
    for (index, part) in session.message(entry, blobs)?.parts.iter().enumerate() {
        match (part, entry.source) {
            (Part::Result(result), Source::Turn(turn)) => {
                let sign = if result.is_error { "✗" } else { "←" };
                let call = screen::one_line(&result.id, 64);
                writeln!(out, "  {sign} {} of {call}", session.history().result_pointer(turn, index))?;
                write_part(out, part)?;
            }
            _ => write_part(out, part)?,
        }
    }
    Ok(())
}

/// Whether an entry shows one of the turns, or stands for it.
fn is_of(session: &Session, entry: &Entry, turns: TurnRange) -> bool {
    let meets = |range: TurnRange| range.first <= turns.last && turns.first <= range.last;
    match entry.source {
        Source::Turn(turn) => meets(TurnRange { first: turn, last: turn }),
        Source::Block(block) => session.state().blocks().get(&block).is_some_and(|folded| meets(folded.range)),
        Source::Archived(_) => {
            matches!(writer(session, entry), Some(EventBody::Archive(archived)) if meets(archived.range))
        }
        Source::Note | Source::Board | Source::Dialogue => false,
    }
}

fn write_seam<W: Write>(out: &mut Screen<W>) -> io::Result<()> {
    let width = screen::columns().min(HEADING);
    let seam = screen::one_line(SEAM, width.saturating_sub(6));
    let line = "─".repeat(width.saturating_sub(seam.chars().count() + 4));
    writeln!(out, "\n── {seam} {line}")
}

fn label(session: &Session, entry: &Entry, blobs: &dyn Blobs) -> Result<String> {
    Ok(match entry.source {
        Source::Turn(turn) => {
            let role = match session.message(entry, blobs)?.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "results",
            };
            format!("turn#{turn} {role}")
        }
        Source::Note => "note".to_owned(),
        Source::Board => "board: what the session knows".to_owned(),
        Source::Block(block) => match session.state().blocks().get(&block) {
            Some(folded) => format!("block {block} for {}", turns(folded.range)),
            None => format!("block {block}"),
        },
        Source::Archived(archive) => match writer(session, entry) {
            Some(EventBody::Archive(archived)) => format!("archived summary {archive} for {}", turns(archived.range)),
            _ => format!("archived summary {archive}"),
        },
        Source::Dialogue => match writer(session, entry) {
            Some(EventBody::LayoutChanged(change)) => dialogue_label(change),
            _ => "dialogue".to_owned(),
        },
    })
}

/// The event that wrote an entry.
fn writer<'a>(session: &'a Session, entry: &Entry) -> Option<&'a EventBody> {
    session.trace().get(entry.revision.0 as usize).map(|event| &event.event)
}

fn dialogue_label(change: &LayoutChange) -> String {
    let through = change.dialogue.as_ref().map(|dialogue| format!(" up to turn#{}", dialogue.through));
    format!("dialogue{}", through.unwrap_or_default())
}

fn turns(range: TurnRange) -> String {
    format!("turns {}–{}", range.first, range.last)
}

fn write_heading<W: Write>(out: &mut Screen<W>, label: &str, tokens: u64) -> io::Result<()> {
    let size = screen::counted(tokens, "token");
    let width = screen::columns().min(HEADING);
    let line = "─".repeat(width.saturating_sub(label.chars().count() + size.len() + 5));
    writeln!(out, "\n── {label} {line} {size}")
}

fn write_picture<W: Write>(out: &mut Screen<W>, picture: &Picture<'_>) -> io::Result<()> {
    write_text(out, &format!("[{}, shown to the model]", picture.media_type))
}

fn write_part<W: Write>(out: &mut Screen<W>, part: &Part<'_>) -> io::Result<()> {
    match part {
        Part::Text(text) => write_text(out, text),
        Part::Thinking(thinking) => write_text(out, &format!("(thinking) {}", thinking.text)),
        Part::Call(call) => write_text(out, &format!("→ {} {}", call.name, call.arguments)),
        Part::Result(result) => {
            write_text(out, &result.text)?;
            result.pictures.iter().try_for_each(|picture| write_picture(out, picture))
        }
        Part::Picture(picture) => write_picture(out, picture),
        Part::Native(native) => match &native.plain {
            Some(part) => write_part(out, part),
            None => write_text(out, &native.raw),
        },
    }
}

fn write_text<W: Write>(out: &mut Screen<W>, text: &str) -> io::Result<()> {
    for line in text.lines() {
        writeln!(out, "{}", format!("  {line}").trim_end())?;
    }
    Ok(())
}
