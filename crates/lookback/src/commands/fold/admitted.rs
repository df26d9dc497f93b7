//! What a fold recorded, claim by claim, for programs.

use lookback_engine::{
    fold::{Change, Delta, Evidence},
    trace::decision::Fold,
};
use serde_json::{Value, json};

/// Block first, then what went on the board.
pub(super) fn of_fold(fold: &Fold) -> Vec<Value> {
    let claims = &fold.claims;
    let mut admitted = Vec::new();
    for (kind, quote) in [("task", &claims.task), ("now", &claims.now)] {
        admitted.extend(quote.iter().map(|quote| claim("block", json!(kind), &quote.text, [&quote.evidence])));
    }
    admitted
        .extend(claims.what_we_learned.iter().map(|fact| claim("block", json!(fact.kind), &fact.text, &fact.evidence)));
    admitted.extend(
        claims
            .exec_assertions
            .iter()
            .map(|run| claim("block", json!("verdict"), &format!("{} → {}", run.command, run.result), [&run.evidence])),
    );
    admitted.extend(claims.said.iter().map(|quote| claim("block", json!("said"), &quote.text, [&quote.evidence])));
    admitted.extend(claims.anchors.iter().map(|anchor| {
        let place = format!("file:{}:L{}-L{}", anchor.path, anchor.first_line, anchor.last_line);
        json!({ "in": "block", "kind": "anchor", "text": anchor.snippet, "evidence": [place] })
    }));
    admitted.extend(claims.next_actions.iter().map(|action| claim("block", json!("next_action"), action, [])));
    admitted.extend(claims.notes.iter().map(|note| claim("block", json!("note"), &note.text, &note.evidence)));
    admitted.extend(claims.pinned.iter().map(|pin| claim("block", json!("pinned"), &pin.text, [&pin.evidence])));
    admitted.extend(fold.delta.iter().flat_map(of_delta));
    admitted
}

fn of_delta(delta: &Delta) -> Vec<Value> {
    let mut admitted = Vec::new();
    for (kind, quote) in [("task", &delta.task), ("now", &delta.now)] {
        admitted.extend(quote.iter().map(|quote| claim("board", json!(kind), &quote.text, [&quote.evidence])));
    }
    admitted.extend(delta.confirmed_facts.iter().map(|change| match change {
        Change::Add(fact) | Change::Revise { to: fact, .. } => {
            claim("board", json!(fact.kind), &fact.text, &fact.evidence)
        }
        Change::Retract { id, evidence } => claim("board", json!("retracted"), id, evidence),
    }));
    admitted.extend(
        delta
            .exec_assertions
            .iter()
            .map(|run| claim("board", json!("verdict"), &format!("{} → {}", run.command, run.result), [&run.evidence])),
    );
    let actions = delta.next_actions.iter().flatten();
    admitted.extend(actions.map(|action| claim("board", json!("next_action"), action, [])));
    admitted
}

fn claim<'a>(place: &str, kind: Value, text: &str, evidence: impl IntoIterator<Item = &'a Evidence>) -> Value {
    let pointers: Vec<&str> = evidence.into_iter().map(|evidence| evidence.pointer.as_str()).collect();
    json!({ "in": place, "kind": kind, "text": text, "evidence": pointers })
}
