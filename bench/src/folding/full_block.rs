//! Blocks as full as their budget allows, of claims that hold: what admission has most to do with.

use std::{collections::BTreeMap, ops::Range};

use anyhow::Result;
use lookback_engine::{
    Session,
    evidence::pointer::LineRange,
    fold::{
        AdmissionLimits, AdmissionRefused, AdmittedBlock, AnchorPlace, AnchorProposal, BlockProposal, ClaimKind,
        FactProposal, admit_block,
    },
    trace::{
        EventBody, NoBlobs, ResultData, TurnNo,
        decision::TurnRange,
        result::{ReadData, RunData, SearchData},
    },
};

use crate::tokens::Counter;

enum Claim {
    Fact(FactProposal),
    Anchor(AnchorProposal),
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
            Claim::Fact(fact) => block.facts.push(fact.clone()),
            Claim::Anchor(anchor) => block.anchors.push(anchor.clone()),
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
                    ResultData::Read(read) => claims.extend(of_read(read, &text)),
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

/// A declaration with its first lines.
fn of_read(read: &ReadData, text: &str) -> Vec<Claim> {
    let numbered = text.lines().filter_map(|line| line.split_once('→'));
    let Some((number, _)) = numbered.clone().find(|(_, line)| line.contains("pub fn ")) else {
        return Vec::new();
    };
    let Ok(first) = number.trim().parse::<u32>() else { return Vec::new() };
    let lines = LineRange { first, last: (first + 5).min(read.first_line + read.line_count - 1) };
    let path = &read.path;
    vec![
        Claim::Fact(FactProposal::new(ClaimKind::Symbol, vec![format!("file:{path}:{lines}")])),
        Claim::Anchor(AnchorProposal { place: AnchorPlace::Lines { path: path.clone(), lines }, snippet: None }),
    ]
}

fn of_search(turn: TurnNo, search: &SearchData) -> Option<Claim> {
    let found = !search.matches.is_empty();
    found.then(|| Claim::Fact(FactProposal::new(ClaimKind::SearchHit, vec![format!("turn#{turn}")])))
}

fn of_run(number: u32, run: &RunData) -> Option<Claim> {
    let exit = run.tests.as_ref().and(run.exit_code)?;
    Some(Claim::Fact(FactProposal::new(ClaimKind::Verdict, vec![format!("cmd#{number} exit={exit}")])))
}
