//! What holds for every sequence of deltas, even of such as would be refused.

use proptest::prelude::*;

use super::*;

/// Bytes / 3: the seed's estimate, many times faster than the tokenizer.
fn thirds(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(3) as u32
}

/// Words that make statements related now and then, and some that are hard to render.
fn text() -> impl Strategy<Value = String> + Clone {
    let words =
        ["3", "4", "tests", "fail", "not", "`x`", "is", "line", "ledger", "不", "</lookback-block>", "\"\n", "🦀"];
    prop::collection::vec(prop::sample::select(words.to_vec()), 1..30).prop_map(|words| words.join(" "))
}

fn change<T: Clone + std::fmt::Debug>(
    letter: char,
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Change<T>> {
    let id = (1..6).prop_map(move |number| format!("{letter}{number}"));
    prop_oneof![
        4 => value.clone().prop_map(Change::Add),
        1 => (id.clone(), value).prop_map(|(id, to)| Change::Revise { id, to }),
        1 => id.prop_map(|id| retract(&id, &["turn#7"])),
    ]
}

fn delta() -> impl Strategy<Value = Delta> {
    let some_fact = (text(), any::<bool>(), "[a-z/]{1,200}").prop_map(|(text, said, path)| {
        let standing = if said { Standing::Concluded } else { Standing::Confirmed };
        Fact { standing, ..fact(&text, &[&format!("file:{path}")]) }
    });
    let some_anchor = (text(), 1..9_u32).prop_map(|(text, line)| anchor("src/a.py", line, &text));
    let assertions = prop::collection::vec(("[ab]", text()), 0..2);
    (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::collection::vec(change('f', some_fact), 0..4),
        prop::collection::vec(change('q', text().prop_map(|text| question(&text))), 0..3),
        prop::collection::vec(change('a', some_anchor), 0..3),
        assertions,
        prop::option::of(prop::collection::vec(text(), 1..4)),
    )
        .prop_map(|(goal_text, reason, confirmed_facts, open_questions, anchors, assertions, next_actions)| {
            Delta {
                goal_shift_reason: reason,
                confirmed_facts,
                open_questions,
                anchors,
                exec_assertions: assertions
                    .iter()
                    .map(|(command, result)| assertion(command, result, "cmd#1"))
                    .collect(),
                status: None,
                next_actions,
                ..goal_text.map_or_else(Delta::default, |text| goal(&text))
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_deltas_give_a_board_within_its_budget(deltas in prop::collection::vec(delta(), 0..12), limit in 250..700_u32) {
        let mut board = Board::default();
        let mut given = std::collections::BTreeSet::new();
        for delta in &deltas {
            let fits = board.check(delta, &limits(), &thirds);
            let before = board.clone();
            let applied = board.apply(delta);
            let rendered = render_delta(delta, &applied, &limits());
            prop_assert_eq!(&before.clone().apply(delta), &applied);
            prop_assert!(fits.is_err() || thirds(rendered.as_bytes()) <= limits().delta_tokens);
            for fact in applied.facts.iter().filter(|fact| fact.outcome == Outcome::Added) {
                prop_assert!(given.insert(fact.id.clone()), "{} was given twice", fact.id);
            }
            let rendered = render_board(&board, &[], &BoardLimits { board_tokens: limit, ..limits() }, &thirds);
            prop_assert!(thirds(rendered.as_bytes()) <= limit, "{}", rendered);
            prop_assert!(!rendered.to_lowercase().contains("</lookback"));
            let (_, json) = rendered.split_once('\n').unwrap();
            prop_assert!(serde_json::from_str::<serde_json::Value>(json).is_ok());
        }
        let stored = serde_json::to_string(&board).unwrap();
        prop_assert_eq!(serde_json::from_str::<Board>(&stored).unwrap(), board);
    }
}
