//! From a model's answer to a proposal.
//!
//! Words around the JSON and a code fence are passed over. Text that ends before its JSON does is refused as truncated,
//! because what is missing may be what mattered.

use serde_json::Value;

use super::{
    AnchorPlace, AnchorProposal, AssertionProposal, BlockProposal, DeltaProposal, Edit, FactProposal, GoalProposal,
    StatusProposal,
    fields::{Fields, Object, Report},
};
use crate::{
    evidence::pointer::LineRange,
    text::one_line,
    trace::{TurnNo, decision::TurnRange},
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
    let goal = fields.expect("goal");
    let learned = fields.expect("what_we_learned");
    let anchors = fields.expect("anchors");
    let assertions = fields.expect("exec_assertions");
    let questions = fields.expect("open_questions");
    let actions = fields.expect("next_actions");
    let block = BlockProposal {
        replaces,
        goal: goal.and_then(|value| parse_goal(value, fields.path_of("goal"), fields.report())),
        what_we_learned: fields.items("what_we_learned", learned, parse_fact),
        anchors: fields.items("anchors", anchors, parse_anchor),
        exec_assertions: fields.items("exec_assertions", assertions, parse_assertion),
        open_questions: fields.items("open_questions", questions, parse_text),
        next_actions: fields.items("next_actions", actions, parse_text),
    };
    fields.end();
    block
}

fn parse_delta_fields(path: &str, object: Object, report: &mut Report) -> DeltaProposal {
    let mut fields = Fields::new(path.to_owned(), object, report);
    let goal = fields.take("current_goal");
    let reason = fields.text("goal_shift_reason");
    let facts = fields.take("confirmed_facts");
    let questions = fields.take("open_questions");
    let anchors = fields.take("anchors");
    let assertions = fields.take("exec_assertions");
    let status = fields.take("status");
    let actions = fields.take("next_actions");
    let delta = DeltaProposal {
        current_goal: goal.and_then(|value| parse_goal(value, fields.path_of("current_goal"), fields.report())),
        goal_shift_reason: Some(reason).filter(|reason| !reason.is_empty()),
        confirmed_facts: fields
            .items("confirmed_facts", facts, |value, path, report| parse_edit(value, path, report, parse_fact)),
        open_questions: fields
            .items("open_questions", questions, |value, path, report| parse_edit(value, path, report, parse_text)),
        anchors: fields.items("anchors", anchors, |value, path, report| parse_edit(value, path, report, parse_anchor)),
        exec_assertions: fields.items("exec_assertions", assertions, parse_assertion),
        status: status.and_then(|value| parse_status(value, fields.path_of("status"), fields.report())),
        next_actions: actions.map(|value| fields.items("next_actions", Some(value), parse_text)),
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

fn parse_goal(value: Value, path: String, report: &mut Report) -> Option<GoalProposal> {
    let fact = parse_fact(value, path, report)?;
    Some(GoalProposal { text: fact.text, evidence: fact.evidence })
}

fn parse_fact(value: Value, path: String, report: &mut Report) -> Option<FactProposal> {
    match value {
        Value::String(text) => Some(FactProposal { text: one_line(&text), evidence: Vec::new() }),
        Value::Object(object) => {
            let mut fields = Fields::new(path, object, report);
            let fact = FactProposal { text: fields.text("text"), evidence: fields.strings("evidence") };
            fields.end();
            Some(fact)
        }
        _ => None,
    }
}

fn parse_text(value: Value, path: String, report: &mut Report) -> Option<String> {
    // Evidence of a question proves nothing that a block would show, so it counts as an unknown field.
    parse_fact(value, path.clone(), report).map(|fact| {
        if !fact.evidence.is_empty() {
            report.dropped.push(format!("{path}.evidence"));
        }
        fact.text
    })
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

fn parse_assertion(value: Value, path: String, report: &mut Report) -> Option<AssertionProposal> {
    let Value::Object(object) = value else { return None };
    let mut fields = Fields::new(path, object, report);
    let assertion = AssertionProposal {
        command: fields.verbatim("command").unwrap_or_default().trim().to_owned(),
        result: fields.text("result"),
        evidence: fields.strings("evidence").into_iter().next(),
    };
    fields.end();
    Some(assertion)
}

fn parse_status(value: Value, path: String, report: &mut Report) -> Option<StatusProposal> {
    let Value::Object(object) = value else {
        report.dropped.push(path);
        return None;
    };
    let mut fields = Fields::new(path, object, report);
    let status = StatusProposal {
        tests: fields.text("tests"),
        build: fields.text("build"),
        errors_left: fields.number("errors_left"),
    };
    fields.end();
    Some(status)
}
