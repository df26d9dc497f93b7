//! One rule each.

use super::*;

const LEDGER: &str = "class Ledger:\n    def __init__(self):\n        self.entries = []\n\n    def balance(self, account):\n        \
    return sum(e.amount for e in self.entries if e.account.startswith(account))\n\n    def size(self):\n        return len(self.entries)\n";

fn failing() -> Story {
    let mut story = Story::new();
    story.user("fix the failing ledger test, don't touch the test");
    let output = format!(
        "{}tests/test_ledger.py:12: in test_cash\nE   AssertionError: assert 130 == 100\n\
         FAILED tests/test_ledger.py::test_cash - assert 130 == 100\n1 failed, 2 passed in 0.83s\n",
        noise()
    );
    story.run("Let me run the tests.", "cd /repo && pytest -q 2>&1 | tail -300", 1, &output);
    story.read("", "src/ledger.py", 1, LEDGER);
    story
}

fn fixed() -> Story {
    let mut story = failing();
    let exact = "        return sum(e.amount for e in self.entries if e.account == account)";
    let removed = LEDGER.lines().nth(5).expect("line 6");
    let said = "The root cause is that `balance` matches prefixes, so cash-reserve is counted as cash.";
    story.edit(said, "src/ledger.py", 6, &[removed], &[exact]);
    story.run("", "pytest -q", 0, "3 passed in 0.79s\n");
    story
}

fn facts(content: &BlockContent) -> Vec<String> {
    let said = content.said.iter().map(|said| format!("- “{}” [{}]", said.text, said.evidence.pointer));
    content.what_we_learned.iter().map(crate::block::render_fact).chain(said).collect()
}

fn commands(content: &BlockContent) -> Vec<String> {
    content.exec_assertions.iter().map(crate::block::render_assertion).collect()
}

#[test]
fn the_last_verdict_of_a_command_stands_for_all_its_runs() {
    let content = fixed().block(&Board::default(), 800).expect("it is shorter");
    assert_eq!(commands(&content), ["- pytest -q → exit 0, 3 passed [cmd#2 exit=0]"]);
    let mended = "- failed in test#1, no longer in test#2: tests/test_ledger.py::test_cash [test#1 · test#2]";
    assert!(facts(&content).contains(&mended.to_owned()), "{:?}", facts(&content));
}

#[test]
fn a_failure_is_named_with_its_tests_and_its_error() {
    let content = failing().block(&Board::default(), 800).expect("it is shorter");
    assert_eq!(
        commands(&content),
        ["- pytest -q 2>&1 | tail -300 → exit 1, 1 failed, 2 passed: tests/test_ledger.py::test_cash \
          (\"AssertionError: assert 130 == 100\") [cmd#1 exit=1]"]
    );
}

#[test]
fn seed_10_1_conclusions_are_quoted_and_announcements_are_not() {
    let content = fixed().block(&Board::default(), 800).expect("it is shorter");
    let said: Vec<&str> = content.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(said, ["The root cause is that `balance` matches prefixes, so cash-reserve is counted as cash."]);
    assert!(!content.what_we_learned.iter().any(|fact| fact.text.contains("root cause")), "it was only said");
}

#[test]
fn what_an_edit_wrote_is_shown_as_it_stands_now() {
    let mut story = fixed();
    story.edit("", "src/ledger.py", 1, &[], &["import bisect", ""]);
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let anchor =
        content.anchors.iter().find(|anchor| anchor.snippet.contains("e.account == account")).expect("it is there");
    assert!(anchor.first_line <= 8 && 8 <= anchor.last_line, "{anchor:?}");
    assert!(!content.anchors.iter().any(|anchor| anchor.snippet.contains("startswith")), "old text is gone");
}

#[test]
fn lines_that_an_error_names_are_shown() {
    let mut story = failing();
    let test = "from src.ledger import Ledger\n\n\ndef test_cash():\n    ledger = Ledger()\n    ledger.add('cash', 100)\n    \
        ledger.add('cash-reserve', 30)\n\n\n\n\n    assert ledger.balance('cash') == 100\n";
    story.read("", "tests/test_ledger.py", 1, test);
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    assert!(content.anchors.iter().any(|anchor| anchor.path == "tests/test_ledger.py" && anchor.last_line >= 12));
}

#[test]
fn lines_where_a_failed_edit_aimed_are_shown() {
    let mut story = failing();
    let arguments =
        json!({ "file_path": "src/ledger.py", "old_string": "    def size(self):\n        return count\n" });
    let data = ResultData::Edit(EditData { path: "src/ledger.py".into(), hunks: Vec::new() });
    story.step("", "Edit", &arguments, ToolResult::failure("CONFLICT", "String to replace not found", data));
    story.run("", "ls", 0, &noise());
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let aimed = content.anchors.iter().find(|anchor| anchor.snippet.contains("def size"));
    assert!(aimed.is_some_and(|anchor| anchor.snippet.contains("return len")), "{:?}", content.anchors);
}

#[test]
fn a_stash_that_comes_back_takes_nothing_away() {
    let mut story = fixed();
    story.run("", "git stash && pytest -q; git stash pop", 0, "1 failed, 2 passed in 0.8s\nDropped refs/stash\n");
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let named = facts(&content).into_iter().find(|fact| fact.starts_with("- files changed"));
    assert_eq!(named.as_deref(), Some("- files changed [file:src/ledger.py@turn#6]"));
}

#[test]
fn files_are_named_by_the_pointers_that_lead_to_them() {
    let mut story = fixed();
    story.read("", "src/report.py", 40, "def report(ledger):\n    return ledger.balance('cash')\n");
    let facts = facts(&story.block(&Board::default(), 800).expect("it is shorter"));
    assert!(facts.contains(&"- files changed [file:src/ledger.py]".to_owned()), "{facts:?}");
    assert!(facts.iter().any(|fact| fact.contains("defines Ledger L1, __init__ L2, balance L5, size L8")), "{facts:?}");
}

#[test]
fn a_failure_that_was_overtaken_or_says_nothing_is_left_to_the_log() {
    let mut story = fixed();
    story.run("", "git commit -m exact", 1, "error: a hook failed\n");
    story.run("", "git add . && git commit -m exact", 0, "[main 1a2b3c4] exact\n");
    story.run("", "git show nothing | grep x", 1, "fatal: bad revision\n");
    story.run("", "./sync.sh", 3, "");
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let commands = commands(&content);
    let tells = |what: &str| commands.iter().any(|line| line.starts_with(what));
    assert!(facts(&content).iter().any(|fact| fact.starts_with("- committed: \"[main 1a2b3c4] exact\"")));
    assert!(!tells("- git commit") && !tells("- git show") && !tells("- ./sync.sh"), "{commands:?}");
}

#[test]
fn commits_and_pushes_are_told_by_the_line_that_git_prints_of_them() {
    let mut story = fixed();
    let made = "[main 1a2b3c4] exact\n 1 file changed\n create mode 100644 src/new.py\n";
    story.run(
        "",
        "git fetch && git push",
        0,
        "  5d6e7f8..1a2b3c4  main -> origin/main\n  1a2b3c4..9a8b7c6  main -> main\n",
    );
    story.run("", "git commit -m exact", 0, made);
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let told: Vec<String> = facts(&content).into_iter().filter(|fact| fact.contains("1a2b3c4")).collect();
    let expected = [
        "- pushed: \"1a2b3c4..9a8b7c6  main -> main\" [cmd#3 exit=0]",
        "- committed: \"[main 1a2b3c4] exact\" [cmd#4 exit=0]",
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_run_whose_parts_all_ran_again_since_is_left_out() {
    let mut story = fixed();
    story.run("", "make lint && make test", 0, "0 issues\n");
    story.run("", "make lint", 1, "a.py:1:2: unused x\n");
    story.run("", "make test && make docs && make lint", 1, "a.py:1:2: unused x\n");
    let told = |story: &mut Story| commands(&story.block(&Board::default(), 800).expect("it is shorter")).join("\n");
    let before = told(&mut story);
    assert!(before.contains("- make lint &&") && before.contains("- make lint →"), "where it broke off is not known");
    story.run("", "make test && make lint", 0, "0 issues\n");
    let after = told(&mut story);
    assert!(!after.contains("- make lint") && after.contains("- make test && make lint →"), "{after}");
}

#[test]
fn the_task_is_what_the_user_asked_for_last() {
    let mut story = fixed();
    story.answer("Done. Shall I also rename the misleading report function?").user("yes, go on");
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let task = content.task.clone().expect("a task");
    assert_eq!(
        (task.text.as_str(), task.evidence.pointer.as_str()),
        ("fix the failing ledger test, don't touch the test", "user#1")
    );
    let asks = |content: &BlockContent| content.said.iter().any(|said| said.text.contains("Shall I also rename"));
    assert!(asks(&content), "a yes needs its question");
    story.answer("Renamed it.");
    assert!(!asks(&story.block(&Board::default(), 800).expect("it is shorter")), "until it is done");
}

#[test]
fn the_boards_task_goes_before() {
    let story = fixed();
    let mut board = Board::default();
    board.apply(&story.delta(&board).expect("something changed"));
    let content = story.block(&board, 800).expect("it is shorter");
    assert_eq!(content.task, board.task().cloned());
}

#[test]
fn what_is_next_comes_from_the_todo_list() {
    let mut story = fixed();
    let items = [
        ("find the cause", TodoState::Done),
        ("run the whole suite", TodoState::Pending),
        ("tell the user", TodoState::InProgress),
    ];
    story.todo(&items);
    let delta = story.delta(&Board::default()).expect("something changed");
    assert_eq!(delta.next_actions.unwrap_or_default(), ["tell the user", "run the whole suite"]);
}

#[test]
fn a_closed_span_says_what_it_came_to() {
    let mut story = failing();
    let span = story.session.start_span("diagnose", "find the cause", &NOW).expect("a span");
    story.run("", "python probe.py", 0, "prefix match\n");
    story.session.end_span(&span, "prefixes are the cause", &NOW).expect("open");
    let said = story.block(&Board::default(), 800).expect("it is shorter").said;
    assert!(
        said.iter().any(|said| said.text == "prefixes are the cause" && said.evidence.pointer == "span#diagnose#1")
    );
}

#[test]
fn what_was_rolled_back_is_not_told() {
    let mut story = failing();
    let kept = TurnNo(story.session.turns() - 1);
    story.run(
        "The cause is certainly a broken interpreter, because nothing else fits.",
        "python --version",
        0,
        "3.12\n",
    );
    story.session.roll_back(kept, &NOW).expect("it rolls back");
    let text = format!("{:?}", story.block(&Board::default(), 800).expect("it is shorter"));
    assert!(!text.contains("interpreter") && !text.contains("python --version"), "{text}");
}

#[test]
fn a_focus_comes_first() {
    let mut story = Story::new();
    story.user("look around");
    for number in 0..30 {
        let text: String = (0..40).map(|line| format!("def thing_{number}_{line}(): return {line}\n")).collect();
        story.read("", &format!("src/part{number}.py"), 1, &text);
    }
    let focused = story.compact(&Board::default(), 300, Some("part3"));
    assert!(format!("{:?}", focused.block.anchors).contains("src/part3.py"), "{:?}", focused.block);
    let unfocused = story.compact(&Board::default(), 300, None);
    assert!(!format!("{:?}", unfocused.block.anchors).contains("src/part3.py"));
}

#[test]
fn a_new_file_is_shown_from_its_first_definition() {
    let mut story = failing();
    story.write(
        "",
        "src/exact.py",
        "# exact comparison\nimport os\n\n\ndef same(one, other):\n    return one == other\n",
    );
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    let anchor = content.anchors.iter().find(|anchor| anchor.path == "src/exact.py").expect("it is there");
    assert_eq!((anchor.first_line, anchor.snippet.as_str()), (5, "def same(one, other):\n    return one == other"));
}

#[test]
fn reads_alone_make_a_block_and_nothing_at_all_does_not_fail() {
    let mut story = Story::new();
    story.user("what does this do?");
    (0..4).for_each(|part| {
        story.read("", &format!("src/a{part}.txt"), 1, &"plain words in a line\n".repeat(40));
    });
    let content = story.block(&Board::default(), 400).expect("it is shorter");
    assert!(!content.anchors.is_empty());

    let mut tiny = Story::new();
    tiny.user("hi").answer("hello");
    assert!(tiny.block(&Board::default(), 800).is_err());
}

#[test]
fn chinese_sessions_are_read_as_well() {
    let mut story = Story::new();
    story.user("请修复账本测试，不要改测试文件");
    story.run("让我先运行测试。", "pytest -q", 1, &format!("{}1 failed, 2 passed in 0.8s\n", noise()));
    story.read("问题在于余额按前缀比较账户名，所以现金储备被重复计算。", "src/ledger.py", 1, LEDGER);
    story.user("继续").answer("已经看过了账本模块的全部代码，原因是前缀比较，应该改为精确比较。");
    let content = story.block(&Board::default(), 800).expect("it is shorter");
    assert_eq!(content.task.as_ref().map(|task| task.text.as_str()), Some("请修复账本测试，不要改测试文件"));
    assert!(content.said.iter().any(|said| said.text.contains("问题在于余额按前缀比较账户名")), "{:?}", content.said);
    assert!(!content.said.iter().any(|said| said.text.contains("让我")), "{:?}", content.said);
}

#[test]
fn a_delta_says_what_changed_and_then_nothing() {
    let story = fixed();
    let mut board = Board::default();
    let delta = story.delta(&board).expect("something changed");
    assert_eq!(delta.status.as_ref().map(|status| status.tests.text.as_str()), Some("pytest -q: passed (3 passed)"));
    assert!(delta.task.is_some() && !delta.anchors.is_empty() && delta.exec_assertions.is_empty());
    for _ in 0..3 {
        let Some(delta) = story.delta(&board) else { break };
        board.apply(&delta);
    }
    assert_eq!(story.delta(&board), None);
}

#[test]
fn small_budgets_hold() {
    let story = fixed();
    for budget in [60, 100, 200, 400] {
        let compaction = story.compact(&Board::default(), budget, None);
        let limits = AdmissionLimits { block_tokens: budget, ..AdmissionLimits::default() };
        let admitted = admit_block(
            story.session.bench(),
            story.whole(),
            crate::proposal::BlockProposal::of(story.whole(), &compaction.block),
            &limits,
            &count,
            &NoBlobs,
        );
        assert!(admitted.is_ok(), "{budget}: {admitted:?}");
    }
}
