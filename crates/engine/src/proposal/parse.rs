//! From a model's answer to a proposal.
//!
//! Words around the JSON and a code fence are passed over. Text that ends before its JSON does is refused as truncated,
//! because what is missing may be what mattered.

use serde_json::Value;

use super::{
    AnchorPlace, AnchorProposal, ArchiveProposal, BlockProposal, ClaimedRun, DeltaProposal, Edit, FactProposal,
    NoteProposal, QuoteProposal,
    fields::{Fields, Object, Report},
};
use crate::{
    evidence::pointer::{LineRange, Pointer},
    text::one_line,
    trace::{TurnNo, claim::ClaimKind, decision::TurnRange},
};

/// A block and the delta that follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub block: BlockProposal,
    pub delta: DeltaProposal,
    /// Unknown fields, and fields of the wrong form, by path.
    pub dropped_fields: Vec<String>,
    /// Fields that the prompt asks for and that did not come, by path: to be asked for once.
    pub missing_fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedDelta {
    pub delta: DeltaProposal,
    pub dropped_fields: Vec<String>,
}

/// Why a model's text holds no proposal, in words by which it can mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposalRefused {
    #[error("the answer is empty: answer with one JSON object")]
    Empty,
    #[error("the answer holds no JSON object: answer with one JSON object and nothing else")]
    NotJson,
    #[error("the answer is not JSON: {0}")]
    Malformed(String),
    #[error("the answer ends inside its JSON: answer again, and shorter")]
    Truncated,
    #[error("the answer has no \"compressed_turns\": answer with {{\"compressed_turns\": …, \"state_delta\": …}}")]
    NoBlock,
    /// None of the fields that were asked for.
    #[error("the answer says nothing: give task, facts, said or notes")]
    SaysNothing,
}

/// The answer to the tail compaction prompt (docs/seeds.md 7.2).
pub(crate) fn parse_compaction(text: &str) -> Result<Parsed, ProposalRefused> {
    let mut report = Report::default();
    let mut top = Fields::new(String::new(), find_object(text)?, &mut report);
    let Some(Value::Object(block)) = top.take("compressed_turns") else { return Err(ProposalRefused::NoBlock) };
    let delta = match top.expect("state_delta") {
        Some(Value::Object(delta)) => parse_delta_fields("state_delta", delta, top.report()),
        Some(_) => {
            top.drop_field("state_delta");
            DeltaProposal::default()
        }
        None => DeltaProposal::default(),
    };
    let block = parse_block_fields(block, top.report());
    top.end();
    Ok(Parsed { block, delta, dropped_fields: report.dropped, missing_fields: report.missing })
}

/// The answer to the state update prompt (docs/seeds.md 7.1), or the arguments of the `Board` tool.
pub(crate) fn parse_delta(text: &str) -> Result<ParsedDelta, ProposalRefused> {
    let mut report = Report::default();
    let mut object = find_object(text)?;
    // The compaction prompt names the same object so; models carry the name over.
    if let Some(Value::Object(inner)) = object.get_mut("state_delta") {
        object = std::mem::take(inner);
    }
    let delta = parse_delta_fields("", object, &mut report);
    Ok(ParsedDelta { delta, dropped_fields: report.dropped })
}

/// The answer to the archive prompt: the parts of the template that a model may fill.
pub(crate) fn parse_archive(text: &str) -> Result<ArchiveProposal, ProposalRefused> {
    let mut object = find_object(text)?;
    if let Some(Value::Object(inner)) = object.get_mut("archive") {
        object = std::mem::take(inner);
    }
    let BlockProposal { task, facts, said, notes, .. } = parse_block_fields(object, &mut Report::default());
    let archive = ArchiveProposal { task, facts, said, notes };
    if archive == ArchiveProposal::default() { Err(ProposalRefused::SaysNothing) } else { Ok(archive) }
}

fn find_object(text: &str) -> Result<Object, ProposalRefused> {
    if text.trim().is_empty() {
        return Err(ProposalRefused::Empty);
    }
    let start = text.find('{').ok_or(ProposalRefused::NotJson)?;
    match serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next() {
        Some(Ok(Value::Object(object))) => Ok(object),
        Some(Err(error)) if error.is_eof() => Err(ProposalRefused::Truncated),
        Some(Err(error)) => Err(ProposalRefused::Malformed(error.to_string())),
        Some(Ok(_)) | None => Err(ProposalRefused::NotJson),
    }
}

fn parse_block_fields(object: Object, report: &mut Report) -> BlockProposal {
    let mut fields = Fields::new("compressed_turns".into(), object, report);
    let replaces = fields.expect("replaces");
    let replaces = replaces.and_then(|value| parse_range(value, fields.report()));
    let [task, now] = ["task", "now"].map(|key| take_quote(&mut fields, key));
    let facts = fields.expect("facts");
    let said = fields.take("said");
    let anchors = fields.expect("anchors");
    let actions = fields.take("next_actions");
    let notes = fields.take("notes");
    let questions = fields.take("open_questions");
    let mut block = BlockProposal {
        replaces,
        task,
        now,
        facts: fields.items("facts", facts, parse_fact),
        said: fields.items("said", said, parse_quote),
        anchors: fields.items("anchors", anchors, parse_anchor),
        next_actions: fields.items("next_actions", actions, parse_quote),
        notes: fields.items("notes", notes, parse_note),
    };
    // An open question of a model is worded by nobody else.
    block.notes.extend(fields.items("open_questions", questions, parse_note));
    fields.end();
    block
}

fn parse_delta_fields(path: &str, object: Object, report: &mut Report) -> DeltaProposal {
    let mut fields = Fields::new(path.to_owned(), object, report);
    let [task, now] = ["task", "now"].map(|key| take_quote(&mut fields, key));
    let shift = fields.text("goal_shift_reason");
    let facts = fields.take("facts");
    let anchors = fields.take("anchors");
    let actions = fields.take("next_actions");
    let worded = ["notes", "open_questions"].map(|key| {
        let value = fields.take(key);
        fields.items(key, value, parse_note)
    });
    let delta = DeltaProposal {
        task,
        now,
        goal_shift: Some(shift).filter(|shift| !shift.is_empty()),
        facts: fields.items("facts", facts, |value, path, report| parse_edit(value, path, report, parse_fact)),
        anchors: fields.items("anchors", anchors, |value, path, report| parse_edit(value, path, report, parse_anchor)),
        next_actions: actions.map(|value| fields.items("next_actions", Some(value), parse_quote)),
        worded: worded.into_iter().flatten().map(|note| note.text).collect(),
    };
    fields.end();
    delta
}

fn parse_edit<T>(
    mut value: Value,
    path: String,
    report: &mut Report,
    read: impl Fn(Value, String, &mut Report) -> Option<T>,
) -> Option<Edit<T>> {
    let Value::Object(object) = &mut value else { return read(value, path, report).map(Edit::Add) };
    let id = match object.remove("id") {
        Some(Value::String(id)) if !id.trim().is_empty() => Some(id.trim().to_owned()),
        _ => None,
    };
    let retracts = matches!(object.remove("retract"), Some(Value::Bool(true)));
    match (id, retracts) {
        (Some(id), true) => {
            let mut fields = Fields::new(path, std::mem::take(object), report);
            Some(Edit::Retract { id, evidence: fields.strings("evidence") })
        }
        (None, true) => None,
        (Some(id), false) => read(value, path, report).map(|to| Edit::Revise { id, to }),
        (None, false) => read(value, path, report).map(Edit::Add),
    }
}

fn parse_range(value: Value, report: &mut Report) -> Option<TurnRange> {
    let Value::Object(object) = value else {
        report.dropped.push("compressed_turns.replaces".into());
        return None;
    };
    let mut fields = Fields::new("compressed_turns.replaces".into(), object, report);
    let (first, last) = (fields.number("start_turn"), fields.number("end_turn"));
    fields.end();
    Some(TurnRange { first: TurnNo(first?), last: TurnNo(last?) })
}

fn take_quote(fields: &mut Fields<'_>, key: &str) -> Option<QuoteProposal> {
    let value = fields.take(key)?;
    let path = fields.path_of(key);
    parse_quote(value, path, fields.report())
}

/// A bare text is a pointer where it can be one, else the words.
fn parse_quote(value: Value, path: String, report: &mut Report) -> Option<QuoteProposal> {
    match value {
        Value::String(text) if text.trim().parse::<Pointer>().is_ok() => {
            Some(QuoteProposal { pointer: Some(text.trim().to_owned()), text: None })
        }
        Value::String(text) => Some(QuoteProposal { pointer: None, text: Some(one_line(&text)) }),
        Value::Object(object) => {
            let mut fields = Fields::new(path, object, report);
            let text = Some(fields.text("text")).filter(|text| !text.is_empty());
            let quote = QuoteProposal { pointer: fields.pointers().into_iter().next(), text };
            fields.end();
            Some(quote)
        }
        _ => None,
    }
}

fn parse_fact(value: Value, path: String, report: &mut Report) -> Option<FactProposal> {
    let object = match value {
        Value::String(text) => return Some(FactProposal { text: Some(one_line(&text)), ..FactProposal::default() }),
        Value::Object(object) => object,
        _ => return None,
    };
    let mut fields = Fields::new(path, object, report);
    let kind = Value::String(fields.text("kind"));
    let fact = FactProposal {
        kind: serde_json::from_value(kind).ok().filter(|kind| *kind != ClaimKind::Worded),
        evidence: fields.pointers(),
        text: fields.verbatim("text").filter(|text| !text.trim().is_empty()),
        claimed: ClaimedRun {
            exit: fields.signed("exit"),
            passed: fields.number("passed"),
            failed: fields.number("failed"),
        },
    };
    fields.end();
    Some(fact)
}

fn parse_note(value: Value, path: String, report: &mut Report) -> Option<NoteProposal> {
    match value {
        Value::String(text) => Some(NoteProposal { text: one_line(&text), evidence: Vec::new() }),
        Value::Object(object) => {
            let mut fields = Fields::new(path, object, report);
            let note = NoteProposal { text: fields.text("text"), evidence: fields.pointers() };
            fields.end();
            Some(note)
        }
        _ => None,
    }
}

fn parse_anchor(value: Value, path: String, report: &mut Report) -> Option<AnchorProposal> {
    let object = match value {
        Value::String(pointer) => {
            let place = AnchorPlace::Pointer { pointer: pointer.trim().to_owned(), lines: None };
            return Some(AnchorProposal { place, snippet: None });
        }
        Value::Object(object) => object,
        _ => return None,
    };
    let mut fields = Fields::new(path, object, report);
    let pointer = fields.verbatim("pointer");
    let file = fields.verbatim("path");
    let first = fields.number("start_line");
    let last = fields.number("end_line").or(first);
    let snippet = fields.verbatim("snippet");
    fields.end();
    let lines = match (first, last) {
        (Some(first), Some(last)) if 1 <= first && first <= last => Some(LineRange { first, last }),
        _ => None,
    };
    let place = match (pointer, file) {
        (Some(pointer), _) => AnchorPlace::Pointer { pointer: pointer.trim().to_owned(), lines },
        (None, Some(path)) => AnchorPlace::Lines { path: path.trim().to_owned(), lines: lines? },
        (None, None) => return None,
    };
    Some(AnchorProposal { place, snippet })
}
