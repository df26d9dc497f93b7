//! The seeds' numbers, and what is refused.

use super::*;
use crate::trace::Layout;

/// Every number that a seed gives, and what the engine takes for it. A range is kept by a value inside it, or by both
/// of its ends where the engine has two.
#[test]
fn seed_c6_the_defaults_are_the_numbers_of_the_seeds() {
    let Configuration { window, fold, triggers, block, compactor, board, settle, archive, notes, execute, .. } =
        Configuration::default();
    let table = [
        ("A3, Glob: 命中多时保留前 5-10", settle.entries.head as f64, 5.0..=5.0),
        ("A3, Glob: 命中多时保留前 5-10", settle.entries.whole as f64, 10.0..=10.0),
        ("A3, Grep: N = 5", settle.matches as f64, 5.0..=5.0),
        ("A3, Read: 最多 500 行", settle.read_lines as f64, 500.0..=500.0),
        ("A3, Edit/Write 片段：20-50 行", settle.snippet.head as f64, 20.0..=20.0),
        ("A3, Edit/Write 片段：20-50 行", settle.snippet.whole as f64, 50.0..=50.0),
        ("A3, Bash: stderr 末尾 20 行", settle.stderr_lines as f64, 20.0..=20.0),
        ("A4, C6: 至少保留最近 10 轮", archive.keep_rounds.into(), 10.0..=10.0),
        ("A6: len(text)//3", archive.bytes_per_token.into(), 3.0..=3.0),
        ("A6, E5: 200,000 tokens", window.default_window.into(), 200_000.0..=200_000.0),
        ("A6, C7: 0.8 × 200k", archive.at, 0.8..=0.8),
        ("A6, C7: 至少 3 条消息", archive.messages.into(), 3.0..=3.0),
        ("A7, C3: 最多 5 个", notes.mentioned_files as f64, 5.0..=5.0),
        ("E2: 120 秒", archive.timeout_seconds.into(), 120.0..=120.0),
        ("E2: 120 秒", compactor.timeout_seconds.into(), 120.0..=120.0),
        ("5.1, 7.1: 1-3 个", board.next_actions.least as f64, 1.0..=1.0),
        ("5.1, 7.1: 1-3 个", board.next_actions.most as f64, 3.0..=3.0),
        ("7.2: 1-3 个具体下一步", block.next_actions as f64, 1.0..=3.0),
        ("6.2: 8-15 次", triggers.tool_calls.into(), 8.0..=15.0),
        ("6.2: 8-15 次", triggers.raw_share_calls.into(), 8.0..=15.0),
        ("7.1, 10.1: 250 tokens 以内", board.delta_tokens.into(), 250.0..=250.0),
        ("7.2: <= 800 tokens", fold.block_least as f64, 800.0..=800.0),
        ("execute, 上下文开销: 最近 30 条", execute.utterances as f64, 30.0..=30.0),
    ];
    for (seed, ours, theirs) in table {
        assert!(theirs.contains(&ours), "{seed}: {ours}");
    }
    // The one departure. 6.2: 保留最新 1-2 个轮次; five serve better (docs/design/measuring.md, "What later steps need").
    assert_eq!(fold.keep_steps, 5);
}

#[test]
fn the_defaults_are_the_numbers_of_the_design() {
    let Configuration { window, fold, triggers, block, compactor, board, results, .. } = Configuration::default();
    let table = [
        ("model.md, The window", window.max_output_reserve.into(), 32_000.0),
        ("model.md, The window", window.reserve_share, 1.0 / 4.0),
        ("model.md, Results", results.single_share, 1.0 / 4.0),
        ("model.md, Results", results.step_share, 1.0 / 2.0),
        ("model.md, The board", board.board_tokens.into(), 600.0),
        ("model.md, The board", board.rules_delta_tokens.into(), 60.0),
        ("model.md, The board", board.rules_board_tokens.into(), 150.0),
        ("model.md, User turns", block.longest_user_turn.into(), 1_000.0),
        ("folding.md, Rent or buy", fold.block_most as f64, 3_000.0),
        ("folding.md, Cold cache", fold.gone_least as f64, 1_000.0),
        ("folding.md, Cold cache", fold.gone_share, 0.25),
        ("folding.md, When", triggers.tool_calls.into(), 12.0),
        ("folding.md, When", triggers.raw_share, 0.7),
        ("folding.md, When", triggers.repeats.into(), 2.0),
        ("folding.md, When", triggers.delta_steps.into(), 8.0),
        ("folding.md, Admission", block.saves_at_least.into(), 25.0),
        ("folding.md, Admission", compactor.refusals_in_a_row.into(), 3.0),
        ("folding.md, The compactors", compactor.repairs.into(), 1.0),
    ];
    for (design, ours, theirs) in table {
        assert_eq!(ours, theirs, "{design}");
    }
}

#[test]
fn the_defaults_make_sense_and_survive_toml() {
    let configuration = Configuration::default();
    assert_eq!(configuration.check(), Ok(()));
    let text = toml::to_string(&configuration).unwrap();
    assert_eq!(Configuration::parse(&text).unwrap(), configuration, "{text}");
    let json = serde_json::to_string(&configuration).unwrap();
    assert_eq!(serde_json::from_str::<Configuration>(&json).unwrap(), configuration);
    assert_eq!(Configuration::parse("").unwrap(), configuration);
}

#[test]
fn what_a_file_does_not_say_keeps_its_default() {
    let text = "window.tokens = 64_000\n[fold]\nkeep_steps = 2\ngone_share = 0\n[settle]\nwhen = \"always\"\n\
        entries = { whole = 8, head = 8 }\n[board.next_actions]\nmost = 4\n";
    let mut expected = Configuration::default();
    expected.window.tokens = Some(64_000);
    (expected.fold.keep_steps, expected.fold.gone_share) = (2, 0.0);
    expected.settle.when = Some(SettleWhen::Always);
    expected.settle.entries = Keep { whole: 8, head: 8 };
    expected.board.next_actions.most = 4;
    assert_eq!(Configuration::parse(text).unwrap(), expected);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line_and_field() {
    for (text, said) in [
        ("[fold]\nkeepsteps = 2\n", "line 2, column 1, fold.keepsteps: unknown field `keepsteps`, expected one of"),
        ("\n[folds]\n", "line 2, column 2, folds: unknown field `folds`, expected one of"),
        ("[archive]\n# early\nat = \"0.8\"", "line 3, column 6, archive.at: invalid type: string \"0.8\""),
        ("triggers.tool_calls = -1", "line 1, column 23, triggers.tool_calls: invalid value: integer `-1`"),
        ("[settle]\nentries = { whole = 3 }", "line 2, column 11, settle.entries: missing field `head`"),
        ("[settle]\nwhen = \"never\"", "line 2, column 8, settle.when: unknown variant `never`, expected `planned` or"),
        ("fold = ", "line 1, column 8, fold: "),
    ] {
        let refused = Configuration::parse(text).unwrap_err();
        assert!(matches!(refused, ConfigurationError::Unreadable { .. }), "{refused:?}");
        assert!(refused.to_string().starts_with(said), "{refused}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_own_kind() {
    use BadValue::*;
    let zero = |field| TooSmall { field, value: 0, least: 1 };
    let no_share = |field, value, range| NoShare { field, value, range };
    for (text, line, value) in [
        ("[fold]\nkeep_steps = 0", 2, zero("fold.keep_steps")),
        ("[block]\n\nnext_actions = 0", 3, zero("block.next_actions")),
        ("[board]\nnext_actions = { least = 0 }", 2, zero("board.next_actions.least")),
        ("archive = { keep_rounds = 0 }", 1, zero("archive.keep_rounds")),
        ("execute.utterances = 0", 1, zero("execute.utterances")),
        ("window.tokens = 0", 1, zero("window.tokens")),
        ("compactor.refusals_in_a_row = 0", 1, zero("compactor.refusals_in_a_row")),
        ("archive.at = 0.0", 1, no_share("archive.at", 0.0, "above 0 and at most 1")),
        ("archive.at = 1.1", 1, no_share("archive.at", 1.1, "above 0 and at most 1")),
        ("fold.gone_share = 1.0", 1, no_share("fold.gone_share", 1.0, "at least 0 and below 1")),
        ("fold.recalls_per_read = -1.0", 1, BadValue::Negative { field: "fold.recalls_per_read", value: -1.0 }),
        ("fold.break_share = -0.5", 1, no_share("fold.break_share", -0.5, "from 0 to 1")),
        ("window.reserve_share = 1", 1, no_share("window.reserve_share", 1.0, "above 0 and below 1")),
        ("results.step_share = inf", 1, no_share("results.step_share", f64::INFINITY, "above 0 and at most 1")),
        ("[settle.snippet]\nwhole = 10\nhead = 20", 1, HeadAboveWhole { field: "settle.snippet", whole: 10, head: 20 }),
        ("block.saves_at_least = 100", 1, TooLarge { field: "block.saves_at_least", value: 100, most: 99 }),
        ("settle.depth = 1000", 1, TooLarge { field: "settle.depth", value: 1_000, most: 128 }),
        (
            "[fold]\nblock_most = 700",
            2,
            Crossed { lower: "fold.block_least", least: 800, upper: "fold.block_most", most: 700 },
        ),
        (
            "board.next_actions = { most = 2 }",
            1,
            Crossed { lower: "block.next_actions", least: 3, upper: "board.next_actions.most", most: 2 },
        ),
        (
            "block.longest_user_turn = 900",
            1,
            EdgesTooLong {
                edge: "block.user_turn_edge",
                tokens: 450,
                limit: "block.longest_user_turn",
                limit_tokens: 900,
            },
        ),
    ] {
        let refused = Configuration::parse(text).unwrap_err();
        assert!(refused.to_string().starts_with(&format!("line {line}: {value}")), "{refused}");
        assert_eq!(refused, ConfigurationError::Value { line: Some(line), value });
    }
    let refused = Configuration::parse("fold.break_share = nan").unwrap_err();
    assert!(matches!(refused, ConfigurationError::Value { line: Some(1), value: NoShare { .. } }), "{refused:?}");
}

#[test]
fn settling_waits_unless_the_layout_or_the_file_says_otherwise() {
    let settle = SettleLimits::default();
    let layouts = [Layout::Chat, Layout::Execute, Layout::React];
    assert_eq!(
        layouts.map(|layout| settle.when_in(layout)),
        [SettleWhen::Planned, SettleWhen::Planned, SettleWhen::Always]
    );
    let planned = SettleLimits { when: Some(SettleWhen::Planned), ..settle };
    assert_eq!(planned.when_in(Layout::React), SettleWhen::Planned);
}

#[test]
fn settings_come_back_from_an_event_as_they_were() {
    let mut changed = Configuration::default();
    changed.window.tokens = Some(4_000);
    changed.results.edge_share = 1.0 / 3.0;
    changed.settle.when = Some(SettleWhen::Always);
    for configuration in [Configuration::default(), changed] {
        assert_eq!(Configuration::recorded(&configuration.to_record()), Some(configuration));
    }
    for senseless in [serde_json::json!({"fold": {"keep_steps": 0}}), serde_json::json!({"a": "x"})] {
        assert_eq!(Configuration::recorded(&senseless), None);
    }
}
