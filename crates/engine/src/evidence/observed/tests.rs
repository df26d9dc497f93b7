use proptest::prelude::*;

use super::*;

fn hunk(first_line: u32, removed: &[&str], added: &[&str]) -> Hunk {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    Hunk { first_line, removed: owned(removed), added: owned(added) }
}

fn lines<'a>(first: u32, texts: &[&'a str]) -> Observation<'a> {
    Observation::Lines((first..).zip(texts.iter().map(|text| Cow::Borrowed(*text))).collect())
}

/// Takes no more from `newest_first` than the search asks for.
fn reconstruct<'a>(
    wanted: LineRange,
    newest_first: impl Iterator<Item = (TurnNo, Observation<'a>)>,
) -> Result<Vec<ObservedLine>, Unobserved> {
    let mut search = Search::new(wanted);
    for (turn, observation) in newest_first {
        if search.see(turn, observation) == Next::Enough {
            break;
        }
    }
    search.end()
}

/// Number, text, turn.
type Seen = (u32, String, u32);

fn seen(first: u32, last: u32, newest_first: Vec<(u32, Observation<'_>)>) -> Result<Vec<Seen>, Vec<(u32, u32)>> {
    reconstruct(LineRange { first, last }, newest_first.into_iter().map(|(turn, seen)| (TurnNo(turn), seen)))
        .map(|lines| lines.into_iter().map(|line| (line.number, line.text, line.turn.0)).collect())
        .map_err(|unobserved| unobserved.missing.iter().map(|range| (range.first, range.last)).collect())
}

#[test]
fn the_newest_sight_of_a_line_wins() {
    let newest_first = vec![(7, lines(2, &["new b"])), (3, lines(1, &["a", "b", "c\r"]))];
    let expected = vec![(1, "a".to_owned(), 3), (2, "new b".to_owned(), 7), (3, "c".to_owned(), 3)];
    assert_eq!(seen(1, 3, newest_first), Ok(expected));
}

#[test]
fn numbers_go_back_through_edits() {
    let hunks = [hunk(2, &["b"], &["B1", "B2"]), hunk(5, &["d", "e"], &[])];
    let newest_first =
        || vec![(5, Observation::Edit(hunks.as_slice().into())), (1, lines(1, &["a", "b", "c", "d", "e", "f"]))];
    let expected = [(1, "a", 1), (2, "B1", 5), (3, "B2", 5), (4, "c", 1), (5, "f", 1)];
    assert_eq!(seen(1, 5, newest_first()), Ok(expected.map(|(n, text, turn)| (n, text.to_owned(), turn)).to_vec()));
    assert_eq!(seen(4, 8, newest_first()), Err(vec![(6, 8)]));
}

#[test]
fn a_write_shows_every_line_and_hides_what_was_before() {
    let whole = Observation::Whole(vec!["x".into(), "y".into()]);
    let newest_first = vec![(4, whole), (1, lines(1, &["a", "b", "c"]))];
    assert_eq!(seen(2, 3, newest_first), Err(vec![(3, 3)]));
}

#[test]
fn all_gaps_are_named() {
    assert_eq!(seen(1, 9, vec![(1, lines(3, &["c"])), (0, lines(6, &["f", "g"]))]), Err(vec![(1, 2), (4, 5), (8, 9)]));
    assert_eq!(seen(0, u32::MAX, vec![(1, lines(1, &["a"]))]), Err(vec![(2, u32::MAX)]));
    let missing = vec![LineRange { first: 1, last: 2 }, LineRange { first: 4, last: 4 }];
    assert_eq!(Unobserved { missing }.to_string(), "never observed: L1-L2, L4");
}

#[test]
fn hunks_that_make_no_sense_end_the_search() {
    for hunks in [vec![hunk(0, &[], &["x"])], vec![hunk(5, &[], &["x", "y"]), hunk(6, &["z"], &[])]] {
        let newest_first = vec![(2, Observation::Edit(hunks.as_slice().into())), (1, lines(1, &["a"]))];
        assert_eq!(seen(1, 1, newest_first), Err(vec![(1, 1)]));
    }
}

#[test]
fn nothing_is_asked_for_once_all_is_found() {
    let newest_first = [(TurnNo(1), lines(1, &["a"]))].into_iter().chain(std::iter::from_fn(|| panic!("asked again")));
    assert_eq!(reconstruct(LineRange { first: 1, last: 1 }, newest_first).unwrap().len(), 1);
}

/// What happens to the model's file, with places given as seeds that are fitted to its length.
#[derive(Debug, Clone)]
enum Step {
    Read {
        from: usize,
        count: usize,
    },
    /// Each hunk: lines to leave before it, to remove, to add.
    Edit(Vec<(usize, usize, usize)>),
    Write {
        count: usize,
    },
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..12_usize, 0..6_usize).prop_map(|(from, count)| Step::Read { from, count }),
        4 => proptest::collection::vec((0..5_usize, 0..3_usize, 0..4_usize), 0..4).prop_map(Step::Edit),
        1 => (0..10_usize).prop_map(|count| Step::Write { count }),
    ]
}

enum Record {
    Lines(Vec<(u32, String)>),
    Edit(Vec<Hunk>),
    Whole(Vec<String>),
}

/// A line of the model's file, and the turn that last showed it.
type Line = (String, Option<u32>);

fn apply(step: &Step, turn: u32, file: &mut Vec<Line>) -> Record {
    let fresh = |place: usize| (format!("line {place} of turn {turn}"), Some(turn));
    match step {
        Step::Read { from, count } => {
            let shown = file.iter_mut().enumerate().skip(*from).take(*count);
            Record::Lines(
                shown
                    .map(|(place, line)| {
                        line.1 = Some(turn);
                        (place as u32 + 1, line.0.clone())
                    })
                    .collect(),
            )
        }
        Step::Edit(places) => {
            let mut at = 0;
            let mut hunks = Vec::new();
            for (leave, remove, add) in places {
                at = (at + leave).min(file.len());
                let end = (at + remove).min(file.len());
                let added: Vec<Line> = (at..at + add).map(fresh).collect();
                let texts = added.iter().map(|line| line.0.clone()).collect();
                let removed = file.splice(at..end, added).map(|line| line.0).collect();
                hunks.push(Hunk { first_line: at as u32 + 1, removed, added: texts });
                at += add;
            }
            Record::Edit(hunks)
        }
        Step::Write { count } => {
            *file = (0..*count).map(fresh).collect();
            Record::Whole(file.iter().map(|line| line.0.clone()).collect())
        }
    }
}

fn observation((turn, record): &(u32, Record)) -> (u32, Observation<'_>) {
    let observation = match record {
        Record::Lines(lines) => Observation::Lines(lines.iter().map(|(n, text)| (*n, text.into())).collect()),
        Record::Edit(hunks) => Observation::Edit(hunks.as_slice().into()),
        Record::Whole(lines) => Observation::Whole(lines.iter().map(Into::into).collect()),
    };
    (*turn, observation)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_file_is_as_it_was_observed(
        length in 0..12_usize,
        steps in proptest::collection::vec(any_step(), 0..10),
        first in 1..8_u32,
        more in 0..8_u32,
    ) {
        let mut file: Vec<Line> = (0..length).map(|place| (format!("line {place}"), None)).collect();
        let records: Vec<(u32, Record)> =
            (1..).zip(&steps).map(|(turn, step)| (turn, apply(step, turn, &mut file))).collect();
        let newest_first = || records.iter().rev().map(observation).collect::<Vec<_>>();

        for number in 1..=file.len() as u32 + 2 {
            let expected = match file.get(number as usize - 1) {
                Some((text, Some(turn))) => Ok(vec![(number, text.clone(), *turn)]),
                _ => Err(vec![(number, number)]),
            };
            prop_assert_eq!(seen(number, number, newest_first()), expected);
        }

        let known = |number: u32| file.get(number as usize - 1).is_some_and(|line| line.1.is_some());
        match seen(first, first + more, newest_first()) {
            Ok(lines) => {
                let numbers: Vec<u32> = lines.iter().map(|line| line.0).collect();
                prop_assert_eq!(numbers, (first..=first + more).collect::<Vec<_>>());
                for (number, text, turn) in lines {
                    prop_assert_eq!(&file[number as usize - 1], &(text, Some(turn)));
                }
            }
            Err(missing) => {
                let missing: Vec<u32> = missing.into_iter().flat_map(|(first, last)| first..=last).collect();
                let unknown: Vec<u32> = (first..=first + more).filter(|number| !known(*number)).collect();
                prop_assert_eq!(missing, unknown);
            }
        }
    }
}
