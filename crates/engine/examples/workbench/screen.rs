//! The view on a terminal: one line for each message, blocks and the board in full.

use std::error::Error;

use lookback_engine::{Session, Source, trace::NoBlobs};
use lookback_wire::{Message, Part, Provider, Role};

pub(crate) const WIDTH: usize = 110;

/// The view at one moment.
pub(crate) struct Snapshot {
    messages: Vec<Shown>,
    head: u64,
    tokens: u64,
}

struct Shown {
    label: String,
    tokens: u32,
    text: String,
    /// Blocks and board entries are shown in full.
    whole: bool,
    bytes: Vec<u8>,
}

impl Snapshot {
    pub(crate) fn of(session: &Session) -> Result<Self, Box<dyn Error>> {
        let mut messages = Vec::new();
        for entry in session.view().entries() {
            let message = session.message(entry, &NoBlobs)?;
            let (label, whole) = match entry.source {
                Source::Turn(turn) => (format!("turn {turn} {}", role(&message)), false),
                Source::Block(number) => (format!("block {number}"), true),
                Source::Board => ("board".into(), true),
                Source::Note => ("note".into(), false),
                Source::Archived(number) => (format!("archive {number}"), true),
                Source::Dialogue => ("dialogue".into(), true),
            };
            let bytes = lookback_wire::render_message(Provider::Anthropic, &message);
            messages.push(Shown { label, tokens: entry.tokens, text: text(&message), whole, bytes });
        }
        Ok(Self { messages, head: session.view().head().tokens(), tokens: session.view().tokens() })
    }
}

pub(crate) fn show_view(view: &Snapshot) {
    println!("    {:<18}{:>6}", "head", view.head);
    view.messages.iter().for_each(|shown| show(' ', shown));
    println!("    {:<18}{:>6} tokens", "", view.tokens);
}

/// Each message marked: `=` belongs to the prefix that stayed byte for byte, `+` is new, `·` stands behind it as it was.
pub(crate) fn show_change(before: &Snapshot, after: &Snapshot) {
    println!("  = {:<18}{:>6}  system, tools, rules", "head", after.head);
    let same = after.messages.iter().zip(&before.messages).take_while(|(now, old)| now.bytes == old.bytes).count();
    for (place, shown) in after.messages.iter().enumerate() {
        let stood_before = before.messages.iter().any(|old| old.bytes == shown.bytes);
        let mark = match (place < same, stood_before) {
            (true, _) => '=',
            (false, true) => '·',
            (false, false) => '+',
        };
        show(mark, shown);
    }
    println!("    {:<18}{:>6} tokens, before the fold {}", "", after.tokens, before.tokens);
}

/// One line, broken where a fact ends.
pub(crate) fn show_report(report: &str) {
    let mut line = String::new();
    for fact in report.split(" · ") {
        if !line.is_empty() && line.chars().count() + fact.chars().count() > WIDTH - 8 {
            println!("  {line} ·");
            line.clear();
        }
        line = if line.is_empty() { fact.to_owned() } else { format!("{line} · {fact}") };
    }
    println!("  {line}");
}

fn show(mark: char, shown: &Shown) {
    let Shown { label, tokens, text, whole, .. } = shown;
    if !whole || mark != '+' {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        println!("  {mark} {label:<18}{tokens:>6}  {}", cut(line.trim(), WIDTH - 30));
        return;
    }
    println!("  {mark} {label:<18}{tokens:>6}");
    text.lines().for_each(|line| println!("  {mark}   │ {}", cut(line, WIDTH - 8)));
}

fn role(message: &Message<'_>) -> &'static str {
    match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "result",
    }
}

fn text(message: &Message<'_>) -> String {
    let parts = message.parts.iter().filter_map(Part::understood).map(|part| match part {
        Part::Text(text) => text.to_string(),
        Part::Call(call) => format!("{} {}", call.name, call.arguments),
        Part::Result(result) => result.text.to_string(),
        Part::Thinking(_) | Part::Picture(_) | Part::Native(_) => String::new(),
    });
    parts.collect::<Vec<_>>().join(" · ")
}

fn cut(line: &str, width: usize) -> String {
    let shown: String = line.chars().take(width).collect();
    if line.chars().count() > width { format!("{shown} …") } else { shown }
}
