//! What holds for every result: valid JSON on one line, a status, a bounded size, the same again.

use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::configuration::Keep;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => ".{0,12}",
        2 => "[ a\"\\\\]{0,12}",
        1 => (any::<char>(), 300..5_000usize).prop_map(|(long, length)| long.to_string().repeat(length)),
        1 => Just("\u{1}".repeat(5_000)),
    ]
}

fn outputs() -> impl Strategy<Value = Output> {
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..600),
        (vec("[0-9]{1,4}(→|: |:)[a-z\r]{0,9}\r?\n", 0..9), 1..300usize)
            .prop_map(|(lines, times)| lines.concat().repeat(times).into_bytes()),
    ];
    (bytes, 0..8u8).prop_map(|(bytes, kind)| {
        let hash = BlobHash::of(&bytes);
        match kind {
            0 => Output::Blob { hash, len: bytes.len() as u64 },
            1 => Output::Beyond(Box::new(BothEnds {
                head: bytes.clone().into(),
                tail: bytes.into(),
                len: u64::MAX,
                hash,
            })),
            _ => Output::new(bytes),
        }
    })
}

fn forms() -> impl Strategy<Value = LineForm> {
    prop_oneof![
        (any::<u64>(), any::<u64>()).prop_map(|(start, end)| LineForm::Plain { start, end }),
        (0..200u64, 0..9_000u64).prop_map(|(start, end)| LineForm::Plain { start, end }),
        prop_oneof![Just("→".to_owned()), Just(": ".to_owned()), texts()]
            .prop_map(|separator| LineForm::Numbered { separator }),
        texts().prop_map(|path| LineForm::PathNumbered { path }),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 200, 30, |inner| {
        let key = prop_oneof![Just("applied".to_owned()), Just("…".to_owned()), texts()];
        prop_oneof![
            vec(inner.clone(), 0..30).prop_map(Value::from),
            vec((key, inner), 0..40).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn kinds() -> impl Strategy<Value = ResultData> {
    let number = || prop_oneof![0..20u32, any::<u32>()];
    let read = (texts(), number(), number(), option::of(number()), forms(), option::of(any::<i64>()), any::<bool>());
    let search_match = (texts(), number(), texts()).prop_map(|(path, line, text)| SearchMatch { path, line, text });
    let hunk = (number(), vec(texts(), 0..20), vec(texts(), 0..20)).prop_map(|(first_line, removed, added)| Hunk {
        first_line,
        removed,
        added,
    });
    let tests = (texts(), number(), vec(texts(), 0..20)).prop_map(|(framework, failed, failures)| TestReport {
        framework,
        failed,
        failures,
        ..TestReport::default()
    });
    let state = prop_oneof![
        Just(TodoState::Pending),
        Just(TodoState::InProgress),
        Just(TodoState::Done),
        Just(TodoState::Cancelled)
    ];
    let item = (texts(), state).prop_map(|(text, state)| TodoItem { text, state });
    let run = (texts(), texts(), option::of(any::<i32>()), any::<bool>(), vec(texts(), 0..40), option::of(tests));
    prop_oneof![
        read.prop_map(|(path, first_line, line_count, total_lines, form, mtime, truncated)| {
            ResultData::Read(ReadData { path, first_line, line_count, total_lines, form, mtime, truncated })
        }),
        (texts(), number(), vec(search_match, 0..12), any::<bool>()).prop_map(
            |(pattern, match_count, matches, truncated)| {
                ResultData::Search(SearchData { pattern, match_count, matches, truncated })
            }
        ),
        (texts(), number(), vec(texts(), 0..30), any::<bool>()).prop_map(
            |(subject, entry_count, entries, truncated)| {
                ResultData::List(ListData { subject, entry_count, entries, truncated })
            }
        ),
        (texts(), vec(hunk, 0..60)).prop_map(|(path, hunks)| ResultData::Edit(EditData { path, hunks })),
        (texts(), any::<bool>(), outputs()).prop_map(|(path, created, content)| ResultData::Write(WriteData {
            path,
            created,
            content
        })),
        run.prop_map(|(command, cwd, exit_code, timed_out, stderr, tests)| {
            ResultData::Run(RunData {
                command,
                cwd,
                exit_code,
                timed_out,
                stderr_tail: stderr.join("\n"),
                tests: tests.map(Box::new),
                reading: None,
            })
        }),
        vec(item, 0..20).prop_map(|items| ResultData::Todo { items }),
        values().prop_map(ResultData::Other),
    ]
}

fn results() -> impl Strategy<Value = ToolResult> {
    let status =
        prop_oneof![Just(Status::Success), Just(Status::Partial), Just(Status::Error), Just(Status::Interrupted)];
    (status, outputs(), kinds(), texts()).prop_map(|(status, text, data, message)| ToolResult {
        error: (status == Status::Error).then(|| Box::new(ToolError { code: "TIMEOUT".into(), message })),
        status,
        text,
        ..ToolResult::success("", data)
    })
}

/// A character takes at most six bytes of JSON (`\u0001`); a shortened one has its mark; behind it stands a number.
fn most_bytes(lines: usize) -> usize {
    lines * (SettleLimits::default().characters * 6 + 100)
}

proptest! {
    #[test]
    fn seed_d1_every_result_settles_to_one_bounded_line_of_json(result in results(), text in vec(any::<u8>(), 0..400)) {
        let text = result.text.bytes(&NoBlobs).unwrap_or_else(|_| text.into());
        let limits = SettleLimits::default();
        let settled = settle_result(&result, "turn#1", &text, &limits);
        prop_assert!(!settled.contains('\n'));
        let parsed: Value = serde_json::from_str(&settled).unwrap();

        let status = serde_json::to_value(result.status).unwrap();
        prop_assert_eq!(&parsed["status"], &status);
        let error = result.error.as_ref().map(|error| serde_json::to_value(error).unwrap());
        prop_assert_eq!(parsed.get("error"), error.as_ref());

        let data = &parsed["data"];
        let lines = data["content"].as_str().map_or(0, |content| content.split('\n').count());
        let most_lines = match &result.data {
            ResultData::Read(_) => limits.read_lines,
            ResultData::Search(_) => 2 * limits.matches + 1,
            ResultData::Todo { .. } => 2,
            _ => limits.snippet.whole + 3,
        };
        prop_assert!(lines <= most_lines);
        prop_assert!(data.to_string().len() <= most_bytes(most_lines) + 400, "{}", data.to_string().len());
    }

    #[test]
    fn a_settled_result_is_the_same_again_and_shorter_or_not_used(result in results(), live in 0..2_000u32) {
        let limits = SettleLimits::default();
        let Ok(plan) = plan_settle(&result, "turn#1", live, &limits, &count, &NoBlobs) else { return Ok(()) };
        prop_assert_eq!(&plan_settle(&result, "turn#1", live, &limits, &count, &NoBlobs).unwrap(), &plan);
        if let Settled::Shorter(text) = plan {
            prop_assert!(count(text.as_bytes()) < live);
        }
    }

    #[test]
    fn limits_of_any_size_are_safe(result in results(), size in prop_oneof![0..3usize, Just(usize::MAX)]) {
        let keep = Keep { whole: size, head: size };
        let limits = SettleLimits {
            when: None, read_lines: size, matches: size, entries: keep, snippet: keep, stderr_lines: size, output_lines: size,
            characters: size, keys: size, depth: size.min(9), value_bytes: size,
        };
        let settled = settle_result(&result, "turn#1", b"1: a\n2: b", &limits);
        prop_assert!(serde_json::from_str::<Value>(&settled).is_ok());
    }
}
