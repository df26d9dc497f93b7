//! Blocks as full as their budget allows, of claims that hold: what admission has most to do with.

use std::{collections::BTreeMap, ops::Range};

use anyhow::{Result, ensure};
use lookback_engine::{
    Session,
    evidence::pointer::LineRange,
    fold::{
        AdmissionLimits, AdmissionRefused, AdmittedBlock, AnchorPlace, AnchorProposal, AssertionProposal, BlockContent,
        BlockProposal, Evidence, FactProposal, GoalProposal, admit_block,
    },
    trace::{
        EventBody, NoBlobs, ResultData, TurnNo,
        decision::TurnRange,
        result::{ReadData, RunData, SearchData},
    },
};

use crate::tokens::Counter;

/// The same claims as somebody would propose them.
pub(crate) fn proposal_of(range: TurnRange, content: &BlockContent) -> BlockProposal {
    let pointers = |evidence: &[Evidence]| evidence.iter().map(|one| one.pointer.clone()).collect();
    let goal = content.goal.as_ref();
    BlockProposal {
        replaces: Some(range),
        goal: goal.map(|goal| GoalProposal { text: goal.text.clone(), evidence: vec![goal.evidence.pointer.clone()] }),
        what_we_learned: content
            .what_we_learned
            .iter()
            .map(|fact| FactProposal { text: fact.text.clone(), evidence: pointers(&fact.evidence) })
            .collect(),
        anchors: content
            .anchors
            .iter()
            .map(|anchor| AnchorProposal {
                place: AnchorPlace::Lines {
                    path: anchor.path.clone(),
                    lines: LineRange { first: anchor.first_line, last: anchor.last_line },
                },
                snippet: Some(anchor.snippet.clone()),
            })
            .collect(),
        exec_assertions: content
            .exec_assertions
            .iter()
            .map(|assertion| AssertionProposal {
                command: assertion.command.clone(),
                result: assertion.result.clone(),
                evidence: Some(assertion.evidence.pointer.clone()),
            })
            .collect(),
        open_questions: content.open_questions.iter().map(|question| question.text.clone()).collect(),
        next_actions: content.next_actions.clone(),
    }
}

enum Claim {
    Fact(FactProposal),
    Anchor(AnchorProposal),
    Assertion(AssertionProposal),
}

/// As many claims about the range as its budget holds, each admitted by itself before.
pub(crate) fn full_block(session: &Session, range: TurnRange, limits: &AdmissionLimits) -> Result<BlockProposal> {
    let mut holding = Vec::new();
    for claim in claims(session, range) {
        let alone = gather(range, std::slice::from_ref(&claim));
        if admit(session, alone, limits).is_ok_and(|admitted| admitted.refused.is_empty()) {
            holding.push(claim);
        }
    }
    let mut fits = 0..holding.len() + 1;
    while fits.len() > 1 {
        let Range { start, end } = fits;
        let middle = start + (end - start) / 2;
        let over = matches!(
            admit(session, gather(range, &holding[..middle]), limits),
            Err(AdmissionRefused::OverBudget { .. })
        );
        fits = if over { start..middle } else { middle..end };
    }
    ensure!(fits.start < holding.len(), "the claims do not fill a block: {} of {}", fits.start, holding.len());
    Ok(gather(range, &holding[..fits.start]))
}

fn admit(
    session: &Session,
    proposal: BlockProposal,
    limits: &AdmissionLimits,
) -> Result<AdmittedBlock, AdmissionRefused> {
    let range = proposal.replaces.unwrap_or(TurnRange { first: TurnNo(0), last: TurnNo(0) });
    admit_block(session.bench(), range, proposal, limits, Counter::O200k.count(), &NoBlobs)
}

fn gather(range: TurnRange, claims: &[Claim]) -> BlockProposal {
    let mut block = BlockProposal { replaces: Some(range), ..BlockProposal::default() };
    for claim in claims {
        match claim {
            Claim::Fact(fact) => block.what_we_learned.push(fact.clone()),
            Claim::Anchor(anchor) => block.anchors.push(anchor.clone()),
            Claim::Assertion(assertion) => block.exec_assertions.push(assertion.clone()),
        }
    }
    block
}

/// What the results of the range show, newest first: of files lines and names, of runs their verdicts.
fn claims(session: &Session, range: TurnRange) -> Vec<Claim> {
    let mut commands = BTreeMap::new();
    let mut claims = Vec::new();
    for event in session.trace() {
        match &event.event {
            EventBody::ToolCall { turn, index, cmd: Some(number), .. } => {
                commands.insert((*turn, *index), *number);
            }
            EventBody::ToolResult { turn, index, result } if range.contains(*turn) => {
                let Ok(text) = result.text.bytes(&NoBlobs) else { continue };
                let text = String::from_utf8_lossy(&text);
                match &result.data {
                    ResultData::Read(read) => claims.extend(of_read(*turn, read, &text)),
                    ResultData::Search(search) => claims.extend(of_search(*turn, search)),
                    ResultData::Run(run) => {
                        claims.extend(commands.get(&(*turn, *index)).and_then(|number| of_run(*number, run)));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    claims.reverse();
    claims
}

/// A declaration with its first lines, and what is said about it.
fn of_read(turn: TurnNo, read: &ReadData, text: &str) -> Vec<Claim> {
    let numbered = text.lines().filter_map(|line| line.split_once('→'));
    let Some((number, declared)) = numbered.clone().find(|(_, line)| line.contains("pub fn ")) else {
        return Vec::new();
    };
    let Ok(first) = number.trim().parse::<u32>() else { return Vec::new() };
    let lines = LineRange { first, last: (first + 5).min(read.first_line + read.line_count - 1) };
    let name = declared.trim().trim_start_matches("pub fn ").split('(').next().unwrap_or_default();
    let path = &read.path;
    vec![
        Claim::Fact(FactProposal {
            text: format!("`{name}` is declared in line {first} of {path} as `{}`", declared.trim()),
            evidence: vec![format!("file:{path}:{lines}"), format!("turn#{turn}")],
        }),
        Claim::Anchor(AnchorProposal { place: AnchorPlace::Lines { path: path.clone(), lines }, snippet: None }),
    ]
}

fn of_search(turn: TurnNo, search: &SearchData) -> Option<Claim> {
    let [first, .., last] = &search.matches[..] else { return None };
    let text = format!(
        "`{}` occurs in {} at line {} and in {} at line {}",
        search.pattern, first.path, first.line, last.path, last.line
    );
    let evidence = vec![
        format!("file:{}:L{}", first.path, first.line),
        format!("file:{}:L{}", last.path, last.line),
        format!("turn#{turn}"),
    ];
    Some(Claim::Fact(FactProposal { text, evidence }))
}

fn of_run(number: u32, run: &RunData) -> Option<Claim> {
    let (tests, exit) = (run.tests.as_ref()?, run.exit_code?);
    let failed = tests.failures.first().map_or(String::new(), |name| format!(", first `{name}`"));
    Some(Claim::Assertion(AssertionProposal {
        command: run.command.clone(),
        result: format!("exit {exit}: {} failed, {} passed{failed}", tests.failed, tests.passed),
        evidence: Some(format!("cmd#{number} exit={exit}")),
    }))
}
