use proptest::prelude::*;

use super::*;
use crate::trace::claim::{Change, Delta};

const PATH: &str = "src/a.py";

fn anchor(first_line: u32, lines: &[&str]) -> Anchor {
    let last_line = first_line + lines.len() as u32 - 1;
    Anchor { path: PATH.into(), first_line, last_line, snippet: lines.join("\n"), as_of: TurnNo(1), moved: false }
}

fn board_with(anchors: Vec<Anchor>) -> Board {
    let mut board = Board::default();
    board.apply(&Delta { anchors: anchors.into_iter().map(Change::Add).collect(), ..Delta::default() });
    board
}

fn hunk(first_line: u32, removed: &[&str], added: &[&str]) -> Hunk {
    let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect();
    Hunk { first_line, removed: owned(removed), added: owned(added) }
}

fn edit(board: &mut Board, path: &str, hunks: &[Hunk], turn: TurnNo) -> Vec<AnchorChange> {
    let followed = board.follow_edit(path, hunks, turn);
    board.apply_followed(path, &followed, turn)
}

fn write(board: &mut Board, path: &str, lines: &[impl AsRef<str>], turn: TurnNo) -> Vec<AnchorChange> {
    let followed = board.follow_write(path, lines, turn);
    board.apply_followed(path, &followed, turn)
}

fn unseen(board: &mut Board, path: &str, turn: TurnNo) -> Vec<AnchorChange> {
    let followed = board.follow_unseen(path);
    board.apply_followed(path, &followed, turn)
}

/// What became of one anchor on lines 10 to 12 (`x y z`), and where it is now.
fn after(hunks: &[Hunk]) -> (Option<AnchorFate>, Option<(u32, u32, String)>) {
    let mut board = board_with(vec![anchor(10, &["x", "y", "z"])]);
    let changes = edit(&mut board, PATH, hunks, TurnNo(7));
    let now = board.anchors().first().map(|entry| &entry.value);
    (
        changes.first().map(|change| change.fate),
        now.map(|now| (now.first_line, now.last_line, now.snippet.replace('\n', " "))),
    )
}

fn at(first_line: u32, last_line: u32, snippet: &str) -> Option<(u32, u32, String)> {
    Some((first_line, last_line, snippet.to_owned()))
}

#[test]
fn an_edit_above_moves_an_anchor_and_one_below_does_not() {
    assert_eq!(after(&[hunk(2, &["a"], &["b", "c", "d"])]), (Some(AnchorFate::Moved), at(12, 14, "x y z")));
    assert_eq!(after(&[hunk(8, &["a", "b"], &[])]), (Some(AnchorFate::Moved), at(8, 10, "x y z")));
    assert_eq!(after(&[hunk(10, &[], &["new"])]), (Some(AnchorFate::Moved), at(11, 13, "x y z")));
    assert_eq!(after(&[hunk(13, &["a"], &["b"])]), (None, at(10, 12, "x y z")));
}

#[test]
fn an_edit_inside_is_taken_over() {
    assert_eq!(after(&[hunk(11, &["y"], &["Y1", "Y2"])]), (Some(AnchorFate::Refreshed), at(10, 13, "x Y1 Y2 z")));
    assert_eq!(after(&[hunk(11, &[], &["new"])]), (Some(AnchorFate::Refreshed), at(10, 13, "x new y z")));
    assert_eq!(after(&[hunk(10, &["x", "y", "z"], &["w"])]), (Some(AnchorFate::Refreshed), at(10, 10, "w")));
}

#[test]
fn an_edit_over_the_border_is_taken_over_with_what_it_shows() {
    assert_eq!(after(&[hunk(9, &["w", "x"], &["W"])]), (Some(AnchorFate::Refreshed), at(9, 11, "W y z")));
    assert_eq!(after(&[hunk(12, &["z", "a"], &["Z", "A"])]), (Some(AnchorFate::Refreshed), at(10, 13, "x y Z A")));
}

#[test]
fn lines_that_an_edit_only_repeats_were_not_touched() {
    assert_eq!(after(&[hunk(9, &["w", "x"], &["W", "x"])]), (None, at(10, 12, "x y z")));
    let around = hunk(8, &["v", "w", "x", "y", "z", "a"], &["v", "V", "x", "y", "z", "A"]);
    assert_eq!(after(&[around]), (None, at(10, 12, "x y z")));
}

#[test]
fn what_is_gone_too_long_or_not_what_was_thought_is_dropped() {
    let long: Vec<String> = (0..=REFRESHED_ANCHOR_LINES).map(|number| number.to_string()).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    for hunks in [
        vec![hunk(10, &["x", "y", "z"], &[])],
        vec![hunk(11, &["y"], &long)],
        vec![hunk(11, &["other"], &["Y"])],
        vec![hunk(0, &[], &["a"])],
        vec![hunk(5, &[], &["a", "b"]), hunk(6, &[], &["c"])],
        vec![hunk(u32::MAX, &[], &["a"])],
    ] {
        assert_eq!(after(&hunks), (Some(AnchorFate::Dropped), None), "{hunks:?}");
    }
}

#[test]
fn a_hunk_counts_lines_after_those_above_it() {
    let hunks = [hunk(1, &["a"], &["A1", "A2"]), hunk(12, &["y"], &["Y"])];
    assert_eq!(after(&hunks), (Some(AnchorFate::Refreshed), at(11, 13, "x Y z")));
}

#[test]
fn a_written_file_keeps_what_it_still_has_once() {
    let written = |lines: &[&str]| {
        let mut board = board_with(vec![anchor(2, &["x", "y"])]);
        let changes = write(&mut board, PATH, lines, TurnNo(7));
        (changes.first().map(|change| change.fate), board.anchors().first().map(|entry| entry.value.first_line))
    };
    assert_eq!(written(&["a", "x\r", "y\r"]), (None, Some(2)));
    assert_eq!(written(&["x", "y", "a"]), (Some(AnchorFate::Moved), Some(1)));
    assert_eq!(written(&["x", "y", "a", "x", "y"]), (Some(AnchorFate::Dropped), None));
    assert_eq!(written(&["x"]), (Some(AnchorFate::Dropped), None));
    assert_eq!(written(&[]), (Some(AnchorFate::Dropped), None));
}

#[test]
fn only_what_was_touched_is_stale_and_only_in_its_own_file() {
    let mut board = board_with(vec![anchor(1, &["a"]), anchor(5, &["b"]), anchor(9, &["c"])]);
    assert_eq!(edit(&mut board, "src/other.py", &[hunk(1, &["a"], &["A"])], TurnNo(3)), []);
    edit(&mut board, PATH, &[hunk(5, &["b"], &["B", "B2"])], TurnNo(4));
    let stale: Vec<(&str, u32)> = board.stale().iter().map(|stale| (stale.id.as_str(), stale.since.0)).collect();
    assert_eq!(stale, [("a2", 4)]);
    unseen(&mut board, PATH, TurnNo(5));
    assert!(board.anchors().is_empty());
    assert_eq!(board.stale().len(), 3);
}

/// Few different lines, so that the same text stands in several places.
fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "", "}"]).prop_map(str::to_owned), 0..most)
}

#[derive(Debug, Clone)]
enum Deed {
    /// Each: how far below the last one, how many lines go, what comes.
    Edit(Vec<(usize, usize, Vec<String>)>),
    Write(Vec<String>),
}

fn deed() -> impl Strategy<Value = Deed> {
    let edit = prop::collection::vec((0..8_usize, 0..5_usize, lines(5)), 1..4);
    prop_oneof![9 => edit.prop_map(Deed::Edit), 1 => lines(30).prop_map(Deed::Write)]
}

/// Applies an edit to a file, top down, and says its hunks.
fn edit_file(file: &mut Vec<String>, places: &[(usize, usize, Vec<String>)]) -> Vec<Hunk> {
    let mut at = 0;
    let mut hunks = Vec::new();
    for (further, going, added) in places {
        let start = (at + further).min(file.len());
        let end = (start + going).min(file.len());
        let removed = file.splice(start..end, added.iter().cloned()).collect();
        hunks.push(Hunk { first_line: start as u32 + 1, removed, added: added.clone() });
        at = start + added.len();
    }
    hunks
}

/// Does an edit change one of the anchor's lines, or put something between them? Counted in the file before it.
fn touches(hunks: &[Hunk], anchor: &Anchor) -> bool {
    let mut shift = 0;
    hunks.iter().any(|hunk| {
        let start = i64::from(hunk.first_line) - shift;
        let end = start + hunk.removed.len() as i64;
        shift += hunk.added.len() as i64 - hunk.removed.len() as i64;
        end > i64::from(anchor.first_line) && start <= i64::from(anchor.last_line)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// docs/design/model.md, "Invariants", 5, for what stands on the board.
    #[test]
    fn after_any_edits_every_anchor_is_verbatim(
        mut file in lines(40),
        places in prop::collection::vec((0..40_usize, 1..6_usize), 0..6),
        deeds in prop::collection::vec(deed(), 1..8),
    ) {
        let anchors = places.into_iter().filter_map(|(start, length)| {
            let lines = file.get(start..start + length)?;
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            Some(anchor(start as u32 + 1, &lines))
        });
        let mut board = board_with(anchors.collect());
        for (turn, deed) in (10..).map(TurnNo).zip(deeds) {
            let before = board.clone();
            let changes = match deed {
                Deed::Edit(places) => {
                    let hunks = edit_file(&mut file, &places);
                    let changes = edit(&mut board, PATH, &hunks, turn);
                    for change in changes.iter().filter(|change| change.fate != AnchorFate::Moved) {
                        prop_assert!(touches(&hunks, &change.was), "{:?} was not touched", change);
                    }
                    changes
                }
                Deed::Write(lines) => {
                    file = lines;
                    write(&mut board, PATH, &file, turn)
                }
            };
            for entry in board.anchors() {
                let Anchor { first_line, last_line, snippet, .. } = &entry.value;
                prop_assert_eq!(&file[*first_line as usize - 1..*last_line as usize].join("\n"), snippet);
            }
            for entry in before.anchors() {
                let now = board.anchors().iter().find(|now| now.id == entry.id).map(|now| &now.value);
                let said = changes.iter().any(|change| change.id == entry.id);
                let same = now.is_some_and(|now| {
                    (now.first_line, &now.snippet) == (entry.value.first_line, &entry.value.snippet)
                });
                prop_assert_eq!(said, !same, "every change is reported, and nothing else");
            }
        }
    }

    #[test]
    fn no_hunks_make_it_panic(
        first in any::<u32>(), length in 0..4_u32, snippet in lines(4),
        hunks in prop::collection::vec((any::<u32>(), lines(4), lines(4)), 0..4),
    ) {
        let anchor = Anchor { last_line: first.saturating_add(length), ..anchor(first.min(9), &["x"]) };
        let anchor = Anchor { first_line: first, snippet: snippet.join("\n"), ..anchor };
        let mut board = board_with(vec![anchor]);
        let hunks: Vec<Hunk> =
            hunks.into_iter().map(|(first_line, removed, added)| Hunk { first_line, removed, added }).collect();
        edit(&mut board, PATH, &hunks, TurnNo(2));
        write(&mut board, PATH, &snippet, TurnNo(3));
    }
}
