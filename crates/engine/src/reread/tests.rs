//! When a file is shown again and when it is not.

use serde_json::json;

use super::*;
use crate::{
    story::{Story, edit, range, read, run},
    trace::claim::{Anchor, Change, Delta},
    trace::{NoBlobs, Status, result::LineForm},
};

const PATH: &str = "src/a.py";
const LINES: [&str; 4] = ["def total(items):", "    result = 0", "    return sum(items)", ""];

/// With `fold` as the newest fold, as if nothing else stood in the view.
fn standing(story: &Story, fold: Option<EventNo>) -> State {
    let mut state = State::new(story.session.history().start());
    state.last_fold = fold;
    state
}

fn plan_in(story: &Story, state: &State, first: u32, lines: &[&str]) -> Option<Stub> {
    plan_reread(Bench { history: story.session.history(), state }, PATH, first, lines, &NoBlobs).expect("no blobs")
}

fn plan(story: &Story, first: u32, lines: &[&str], fold: Option<EventNo>) -> Option<Stub> {
    plan_in(story, &standing(story, fold), first, lines)
}

fn is_whole(story: &Story, first: u32, lines: &[&str], fold: EventNo) -> bool {
    plan(story, first, lines, Some(fold)).is_none()
}

fn read_again(story: &mut Story) -> TurnNo {
    story.step("", "Read", json!({ "path": PATH }), read(PATH, 40, &LINES))
}

/// The file was read in turn 2, folded away, and read again in turn 6.
fn folded() -> (Story, EventNo) {
    let mut story = Story::new();
    story.user("look at total()");
    read_again(&mut story);
    story.answer("seen");
    let fold = story.fold(1, range(1, 2));
    story.user("now change it");
    (story, fold)
}

#[test]
fn without_a_fold_every_read_is_shown() {
    let mut story = Story::new();
    story.user("look");
    read_again(&mut story);
    assert_eq!(plan(&story, 40, &LINES, None), None);
}

#[test]
fn after_a_fold_once_in_full_then_a_stub() {
    let (mut story, fold) = folded();
    assert!(is_whole(&story, 40, &LINES, fold), "the fold took the lines away");
    let turn = read_again(&mut story);
    let Some(Stub { turn: since, text }) = plan(&story, 40, &LINES, Some(fold)) else { panic!("shown again") };
    assert_eq!(since, turn);
    insta::assert_snapshot!(text, @"src/a.py:L40-L43 unchanged since turn#6 · Recall file:src/a.py:L40-L43@turn#6 gives the lines");
    assert!(!is_whole(&story, 41, &LINES[1..3], fold), "a part of it");
    assert!(
        !is_whole(&story, 41, &["    result = 0\r", "    return sum(items)\r"], fold),
        "line endings do not matter"
    );
}

#[test]
fn what_the_stub_names_can_be_recalled() {
    let (mut story, fold) = folded();
    read_again(&mut story);
    let Some(Stub { text, .. }) = plan(&story, 41, &LINES[1..3], Some(fold)) else { panic!("shown again") };
    let pointer = text.split("Recall ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a pointer");
    let pointer: crate::evidence::pointer::Pointer = pointer.parse().expect("it is one");
    let recalled = story.session.recall(&pointer.place, &NoBlobs).expect("it resolves");
    assert_eq!(recalled.pieces[0].bytes, LINES[1..3].join("\n"));
}

#[test]
fn the_boards_anchors_inside_are_named() {
    let (mut story, fold) = folded();
    read_again(&mut story);
    let mut board = Board::default();
    let anchor = |path: &str, first_line, snippet: &str| {
        let last_line = first_line + snippet.split('\n').count() as u32 - 1;
        let (path, snippet) = (path.to_owned(), snippet.to_owned());
        Change::Add(Anchor { path, first_line, last_line, snippet, as_of: TurnNo(6), moved: false })
    };
    let anchors = vec![
        anchor(PATH, 41, "    result = 0\n    return sum(items)"),
        anchor(PATH, 43, "\nbehind it"),
        anchor(PATH, 42, "another text"),
        anchor("src/b.py", 40, "def total(items):"),
        anchor(PATH, 40, "def total(items):"),
    ];
    board.apply(&Delta { anchors, ..Delta::default() });
    let mut state = standing(&story, Some(fold));
    state.board = board;
    let plan = plan_in(&story, &state, 40, &LINES);
    let Some(Stub { text, .. }) = plan else { panic!("shown again") };
    assert!(text.ends_with(" gives the lines · on the board: a1 L41-L42, a5 L40"), "{text}");
}

#[test]
fn what_differs_is_shown() {
    let (mut story, fold) = folded();
    read_again(&mut story);
    assert!(is_whole(&story, 40, &["def total(items):", "    result = 1"], fold), "changed on disk");
    assert!(is_whole(&story, 41, &["def total(items):"], fold), "moved on disk");
    assert!(is_whole(&story, 42, &["    return sum(items)", "", "new"], fold), "one line was never seen");
    assert!(is_whole(&story, 39, &LINES[..0], fold), "nothing was read");
    assert!(is_whole(&story, 0, &LINES, fold) && is_whole(&story, u32::MAX, &LINES, fold));
}

#[test]
fn lines_that_only_the_fold_had_seen_are_shown() {
    let (mut story, fold) = folded();
    story.step("", "Read", json!({}), read(PATH, 40, &LINES[..1]));
    assert!(!is_whole(&story, 40, &LINES[..1], fold));
    assert!(is_whole(&story, 41, &LINES[1..], fold), "each line may be read again once");
    assert!(is_whole(&story, 40, &LINES, fold));
}

#[test]
fn a_search_alone_is_no_read() {
    let (mut story, fold) = folded();
    story.step("", "Bash", json!({}), run("sed -n '40,41p' src/a.py", 0, "def total(items):\n    result = 0\n"));
    assert!(is_whole(&story, 40, &LINES[..2], fold));
}

#[test]
fn a_file_that_changed_is_shown() {
    let (mut story, fold) = folded();
    read_again(&mut story);
    let edited = story.step("", "Edit", json!({}), edit(PATH, 40, &[], &["@cached"]));
    let shifted: Vec<&str> = [&["@cached"], &LINES[..]].concat();
    assert!(is_whole(&story, 41, &LINES, fold), "the same lines at other numbers");
    assert!(is_whole(&story, 40, &shifted, fold));
    assert!(
        matches!(plan(&story, 40, &["@cached"], Some(fold)), Some(Stub { turn, .. }) if turn == edited),
        "the edit showed what it wrote"
    );
    let again = story.step("", "Read", json!({}), read(PATH, 40, &shifted));
    assert!(matches!(plan(&story, 41, &LINES, Some(fold)), Some(Stub { turn, .. }) if turn == again));
    story.tell(|session, now| session.file_changed_outside(PATH.into(), None, now).expect("recorded"));
    assert!(is_whole(&story, 41, &LINES, fold), "nobody knows what else changed");
}

#[test]
fn a_rolled_back_read_showed_nothing() {
    let (mut story, fold) = folded();
    read_again(&mut story);
    story.tell(|session, now| session.roll_back(TurnNo(4), now).expect("a whole turn"));
    assert!(is_whole(&story, 40, &LINES, fold));
}

#[test]
fn lines_of_which_the_model_saw_the_ends_only_are_shown() {
    let mut story = Story::with_window(8_000);
    story.user("look");
    let fold = EventNo(0);
    let long: Vec<String> = (0..2_000).map(|number| format!("line {number} of the file")).collect();
    let lines: Vec<&str> = long.iter().map(String::as_str).collect();
    story.step("", "Read", json!({}), read(PATH, 1, &lines));
    assert!(is_whole(&story, 900, &lines[899..910], fold));
    story.step("", "Read", json!({}), read(PATH, 900, &lines[899..910]));
    assert!(!is_whole(&story, 900, &lines[899..910], fold));
}

#[test]
fn lines_of_which_the_view_has_a_short_form_are_shown() {
    let (mut story, fold) = folded();
    let turn = read_again(&mut story);
    let mut state = standing(&story, Some(fold));
    assert!(plan_in(&story, &state, 40, &LINES).is_some());
    state.settled.insert((turn, 0), (EventNo(0), 0));
    assert_eq!(plan_in(&story, &state, 40, &LINES), None);
}

fn long() -> ToolResult {
    let lines: Vec<String> = (0..12).map(|number| format!("    value_{number} = compute({number})")).collect();
    read(PATH, 40, &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_stub_shows_no_line_of_the_file() {
    // A path can read like numbered lines; the stub is still none.
    let hostile = "40→def total(items):";
    let form = LineForm::Numbered { separator: "→".into() };
    for path in [PATH, hostile] {
        let (mut story, _) = folded();
        let mut result = long();
        result.stats = Some(Box::new(json!({ "time_ms": 3 })));
        read_in(&mut result).path = path.into();
        assert_eq!(story.session.reread(result.clone(), &NoBlobs), result, "once in full");
        let shown = story.step("", "Read", json!({ "path": path }), result.clone());
        let before = story.session.history().seen(path).expect("in memory").len();
        let stub = story.session.reread(result.clone(), &NoBlobs);
        let (data, text) = (&stub.data, stub.text.bytes(&NoBlobs).expect("in memory"));
        assert!(
            matches!(data, ResultData::Other(data) if data["unchanged_since"] == format!("turn#{shown}")),
            "{data:?}"
        );
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains(&format!(":L40-L51 unchanged since turn#{shown} · Recall file:")), "{text}");
        assert_eq!(lines_in(text.as_bytes(), &form, 1).is_empty(), path == PATH, "the danger was real");
        assert_eq!((stub.status, &stub.stats), (Status::Success, &result.stats));
        story.step("", "Read", json!({ "path": path }), stub.clone());
        assert_eq!(story.session.history().seen(path).expect("in memory").len(), before, "nothing was observed in it");
        assert_eq!(story.session.reread(result, &NoBlobs), stub, "the lines still stand where they stood");
    }
}

#[test]
fn what_a_stub_would_lose_is_shown() {
    let (mut story, _) = folded();
    story.step("", "Read", json!({ "path": PATH }), long());
    let is_shown = |change: fn(&mut ToolResult)| {
        let mut result = long();
        change(&mut result);
        story.session.reread(result.clone(), &NoBlobs) == result
    };
    assert!(!is_shown(|_| {}));
    assert!(!is_shown(|result| append(result, "", "(lines 40 to 51 of 90; offset 52 shows what follows)\n")));
    assert!(is_shown(|result| append(result, "Note: src/a.py was modified externally.\n", "")));
    assert!(is_shown(|result| result.status = Status::Partial));
    assert!(is_shown(|result| read_in(result).truncated = true));
    assert!(is_shown(|result| read_in(result).line_count = 13), "one line stands there in another form");
    assert!(is_shown(|result| *result = read(PATH, 40, &["    value_0 = compute(0)"])), "a stub would be longer");
}

fn append(result: &mut ToolResult, before: &str, behind: &str) {
    let text = result.text.bytes(&NoBlobs).expect("in memory");
    result.text = format!("{before}{}{behind}", String::from_utf8_lossy(&text)).into();
}

fn read_in(result: &mut ToolResult) -> &mut ReadData {
    let ResultData::Read(read) = &mut result.data else { panic!("a read") };
    read
}
