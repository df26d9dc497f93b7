//! Whatever is proposed: what admission lets in resolves, and its anchors are verbatim.

use proptest::prelude::*;

use super::*;
use crate::{
    evidence::pointer::{LineRange, Pointer},
    proposal::{AnchorPlace, AnchorProposal, FactProposal, NoteProposal, QuoteProposal},
    trace::claim::ClaimKind,
};

fn pointer() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..14_u32).prop_map(|number| format!("turn#{number}")),
        (0..4_u32, 0..2_i32).prop_map(|(number, exit)| format!("cmd#{number} exit={exit}")),
        (0..4_u32).prop_map(|number| format!("cmd#{number}")),
        (1..12_u32, 0..4_u32).prop_map(|(first, more)| format!("file:src/ledger.py:L{first}-L{}", first + more)),
        Just("user#1".to_owned()),
        "[a-z#:]{0,12}",
    ]
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[a-z]{1,8}", "[0-9]{1,3}", Just("`balance`".to_owned()), Just("src/ledger.py".to_owned())];
    prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "))
}

fn snippet() -> impl Strategy<Value = Option<String>> {
    let lines = LEDGER.lines().count();
    let slice = (0..lines, 1..4_usize)
        .prop_map(|(first, length)| LEDGER.lines().skip(first).take(length).collect::<Vec<_>>().join("\n"));
    prop_oneof![Just(None), slice.prop_map(Some), ".{0,30}".prop_map(Some)]
}

fn kind() -> impl Strategy<Value = Option<ClaimKind>> {
    let kinds = [
        ClaimKind::Verdict,
        ClaimKind::TestChanged,
        ClaimKind::Error,
        ClaimKind::FileCreated,
        ClaimKind::FileChanged,
        ClaimKind::Symbol,
        ClaimKind::LineText,
        ClaimKind::SearchHit,
        ClaimKind::Commit,
        ClaimKind::GateDecision,
        ClaimKind::Quoted,
    ];
    prop::option::weighted(0.9, prop::sample::select(kinds.to_vec()))
}

fn quote() -> impl Strategy<Value = QuoteProposal> {
    (prop::option::of(pointer()), prop::option::of(words())).prop_map(|(pointer, text)| QuoteProposal { pointer, text })
}

fn proposal() -> impl Strategy<Value = BlockProposal> {
    let facts =
        prop::collection::vec((kind(), prop::collection::vec(pointer(), 0..3), prop::option::of(words())), 0..5);
    let anchors = prop::collection::vec((1..12_u32, 0..3_u32, snippet()), 0..4);
    let actions = prop::collection::vec(quote(), 0..4);
    (facts, anchors, actions, quote(), words()).prop_map(|(facts, anchors, next_actions, task, note)| BlockProposal {
        replaces: Some(TurnRange { first: TurnNo(0), last: TurnNo(9) }),
        task: Some(task),
        facts: facts
            .into_iter()
            .map(|(kind, evidence, text)| FactProposal { kind, evidence, text, ..FactProposal::default() })
            .collect(),
        anchors: anchors
            .into_iter()
            .map(|(first, more, snippet)| AnchorProposal {
                place: AnchorPlace::Lines {
                    path: "src/ledger.py".into(),
                    lines: LineRange { first, last: first + more },
                },
                snippet,
            })
            .collect(),
        next_actions,
        notes: vec![NoteProposal { text: note, evidence: vec![] }],
        ..BlockProposal::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn admitted_facts_resolve_and_admitted_anchors_are_verbatim(proposal in proposal()) {
        let session = story();
        let Ok(admitted) = admit_block(session.bench(), whole(&session), proposal, &AdmissionLimits::default(), &count, &NoBlobs)
        else { return Ok(()) };
        let content = admitted.content;
        let runs = content.exec_assertions.iter().map(|run| &run.evidence);
        let facts = content.what_we_learned.iter().flat_map(|fact| &fact.evidence);
        prop_assert!(content.what_we_learned.iter().all(|fact| !fact.evidence.is_empty() && fact.kind != ClaimKind::Worded));
        for evidence in facts.chain(runs).chain(content.task.iter().map(|task| &task.evidence)) {
            let pointer: Pointer = evidence.pointer.parse().expect("it was admitted");
            prop_assert!(session.recall(&pointer.place, &NoBlobs).is_ok());
            prop_assert!(evidence.event < session.next_event());
        }
        for anchor in &content.anchors {
            let pointer = format!("file:{}:L{}-L{}", anchor.path, anchor.first_line, anchor.last_line);
            let pointer: Pointer = pointer.parse().expect("a pointer");
            let recalled = session.recall(&pointer.place, &NoBlobs).expect("observed");
            prop_assert_eq!(recalled.pieces[0].bytes.as_ref(), anchor.snippet.as_bytes());
            prop_assert_eq!(recalled.turn, Some(anchor.as_of));
        }
        // What was admitted is admitted again, word for word.
        let again = BlockProposal::of(whole(&session), &content);
        let again = admit_block(session.bench(), whole(&session), again, &AdmissionLimits::default(), &count, &NoBlobs);
        let mut content = content;
        content.anchors.iter_mut().for_each(|anchor| anchor.moved = false);
        let again = again.expect("once more");
        prop_assert_eq!(again.refused, vec![]);
        prop_assert_eq!(again.content, content);
    }

    #[test]
    fn parsing_never_panics(text in "\\PC*", json in "[{}\\[\\]\":,a-z0-9 \\\\n]{0,200}") {
        let _ = (parse_compaction(&text), parse_delta(&text), parse_compaction(&json), parse_delta(&json));
    }

    #[test]
    fn any_shape_of_the_right_fields_is_read(value in shape()) {
        let fields = ["replaces", "task", "now", "facts", "said", "anchors", "next_actions", "notes", "open_questions"];
        let block: serde_json::Map<String, Value> = fields.iter().map(|field| ((*field).to_owned(), value.clone())).collect();
        let fields = ["task", "now", "goal_shift_reason", "facts", "anchors", "next_actions", "notes", "open_questions"];
        let delta: serde_json::Map<String, Value> = fields.iter().map(|field| ((*field).to_owned(), value.clone())).collect();
        let text = json!({ "compressed_turns": block, "state_delta": delta }).to_string();
        let parsed = parse_compaction(&text).expect("it is JSON of an object");
        let session = story();
        let _ = admit_block(session.bench(), whole(&session), parsed.block, &AdmissionLimits::default(), &count, &NoBlobs);
        let _ = admit_delta(session.bench(), parsed.delta, &AdmissionLimits::default(), &NoBlobs);
    }

    #[test]
    fn checking_any_text_never_panics(text in "\\PC{0,80}", evidence in pointer()) {
        let session = story();
        let quote = json!({ "pointer": evidence, "text": text });
        let facts = ["verdict", "error", "line_text", "quoted"].map(|kind| json!({ "kind": kind, "evidence": [evidence], "text": text }));
        let fields = json!({ "task": quote, "now": text, "facts": facts, "said": [quote], "notes": [text], "next_actions": [text, quote] });
        let _ = block(&session, fields);
    }
}

fn shape() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z#:.0-9 ]{0,12}".prop_map(Value::from),
    ];
    let keys = prop_oneof![
        Just("text"),
        Just("evidence"),
        Just("path"),
        Just("start_line"),
        Just("end_line"),
        Just("snippet"),
        Just("pointer"),
        Just("kind"),
        Just("exit"),
        Just("passed"),
        Just("id"),
        Just("retract"),
        Just("start_turn"),
        Just("end_turn"),
    ];
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
