use lookback_engine::{
    Configuration,
    report::{SettleReport, StubReport},
    session::Tidied,
    trace::result::ReadData,
};

use super::*;
use crate::{
    measure::{Figures, figures},
    shown::Reach,
    simulate::{self, Found, Run},
    strategy::{
        Step,
        driven::{Driven, Powers},
    },
};

const ALL: [Powers; 4] = [Powers::Planned, Powers::Fixed, Powers::SettleOnly, Powers::Guest];

fn driven<'a>(conversation: &'a Conversation<'a>, powers: Powers, window: u32) -> Driven<'a> {
    let mut configuration = Configuration::default();
    configuration.window.tokens = Some(window);
    Driven::new(conversation, powers, &tariff(), configuration, counter())
}

const WIDE: u32 = 200_000;

fn run(conversation: &Conversation<'_>, powers: Powers, window: u32) -> (Run, Figures) {
    let run = simulate::run(&mut driven(conversation, powers, window), conversation, &tariff());
    let figures = figures(&run, conversation, &tariff(), None);
    (run, figures)
}

fn invalid(run: &Run) -> Vec<&String> {
    run.calls.iter().filter_map(|call| call.invalid.as_ref()).collect()
}

/// Nothing was refused, and what is not in a view can be reached from it.
fn assert_sound(run: &Run, figures: &Figures, what: &str) {
    assert_eq!(invalid(run), Vec::<&String>::new(), "{what}");
    assert_eq!((run.evidence.resolved, figures.pointer_recall), (run.evidence.all, 1.0), "{what}");
}

/// A file of so many lines, each unlike the others.
fn file(name: &str, lines: u32) -> String {
    (1..=lines).map(|line| format!("{line}\tlet {name}_{line} = compute_{name}({line});\n")).collect()
}

fn read(name: &str, lines: u32) -> (NewPart, ToolResult) {
    let path = format!("src/{name}.rs");
    let arguments = format!("{{\"file_path\":\"{path}\"}}");
    let form = lookback_engine::trace::result::LineForm::Numbered { separator: "\t".into() };
    let data =
        ReadData { path, first_line: 1, line_count: lines, total_lines: None, form, mtime: None, truncated: false };
    let call = NewPart::Call { id: format!("read_{name}"), name: "Read".into(), arguments };
    (call, ToolResult::success(file(name, lines), ResultData::Read(data)))
}

impl Story {
    fn read(mut self, name: &str, lines: u32) -> Self {
        let (call, result) = read(name, lines);
        let call = CallItem {
            id: None,
            at: None,
            model: None,
            parts: vec![call],
            stop: Stop::End,
            results: vec![result],
            billed: None,
            unpriced: Default::default(),
        };
        self.0.items.push(Item::Call(Box::new(call)));
        self
    }

    fn reads(self, names: impl IntoIterator<Item = u32>) -> Self {
        names.into_iter().fold(self, |story, name| story.read(&format!("part{name}"), 40))
    }

    /// Asks for something that stood in a file.
    fn searches(self, symbol: &str) -> Self {
        let number = self.0.items.len();
        let arguments = format!("{{\"pattern\":\"{symbol}\"}}");
        self.call(vec![NewPart::Call { id: format!("grep_{number}"), name: "Grep".into(), arguments }], &["none"])
    }
}

/// Reads many files, and at its end asks for what stood in the first.
fn long() -> Story {
    Story::new()
        .user("Rename compute_part1 everywhere")
        .reads(1..=30)
        .searches("part2_17")
        .searches("part9_3")
        .say("done")
}

#[test]
fn without_a_reason_to_fold_everything_is_shown_as_it_was() {
    let story = Story::new().user("go").read("door", 5).step(&["one", "two"]).say("done").user("more").say("end");
    let conversation = story.conversation();
    for powers in [Powers::Planned, Powers::Fixed] {
        let mut driven = driven(&conversation, powers, WIDE);
        for call in 0..conversation.calls.len() {
            let shown: Vec<String> = show(&mut driven, call);
            assert_eq!(shown, raw(conversation.before(call)), "{powers:?}, call {call}");
        }
        assert_eq!(driven.invalid(), None);
    }
}

#[test]
fn a_fixed_count_of_steps_is_folded() {
    let story = long();
    let conversation = story.conversation();
    let (run, figures) = run(&conversation, Powers::Fixed, WIDE);
    assert_sound(&run, &figures, "fixed");
    let folds: Vec<usize> =
        run.calls.iter().enumerate().filter(|(_, call)| !call.did.is_empty()).map(|(number, _)| number).collect();
    assert!(folds.len() >= 2 && folds[0] >= 12, "{folds:?}");
    assert!(run.calls.iter().flat_map(|call| &call.did).all(|did| did.after_tokens < did.before_tokens));
    assert!(run.evidence.all > 0);
    let lacking = run.calls.iter().flat_map(|call| &call.needs).filter(|found| **found != Found::InView).count();
    assert!(lacking > 0, "something was folded away that was asked for later");
}

#[test]
fn a_small_window_makes_it_fold() {
    let story = long();
    let conversation = story.conversation();
    for powers in ALL {
        let (run, figures) = run(&conversation, powers, 30_000);
        assert_sound(&run, &figures, &format!("{powers:?}"));
        let peak = run.calls.iter().map(|call| call.split.tokens()).max().unwrap();
        assert!(peak < 30_000, "{powers:?}: {peak}");
    }
}

#[test]
fn settling_alone_shortens_results_of_finished_rounds_only() {
    let story =
        Story::new().user("go").read("one", 600).read("two", 600).say("done").user("more").read("door", 600).say("end");
    let conversation = story.conversation();
    let mut driven = driven(&conversation, Powers::SettleOnly, WIDE);
    let steps: Vec<Step> = (0..conversation.calls.len()).map(|call| driven.show(call)).collect();
    assert_eq!(describe(&steps[2].shown), raw(conversation.before(2)), "within its round nothing is shortened");
    let made = |step: &Step| step.shown.parts.iter().filter(|part| matches!(part, Part::Made(_))).count();
    assert_eq!((made(&steps[3]), made(&steps[4])), (2, 2));
    for part in &steps[3].shown.parts {
        if let Part::Made(made) = part {
            let Stands::ForResult(piece) = made.stands else { panic!("{made:?}") };
            assert!(made.tokens < conversation.pieces[piece].tokens, "{made:?}");
        }
    }
    assert_eq!(driven.invalid(), None);
}

#[test]
fn what_was_done_is_counted_as_people_count() {
    let story = Story::new().user("go").say("end");
    let conversation = story.conversation();
    let notes = |number| {
        let settled = Some(SettleReport { results: number, raw: 9, short: 1 });
        let stubbed = Some(StubReport { blocks: number, raw: 9, short: 1 });
        let tidied = Tidied { settled, stubbed, ..Tidied::default() };
        let did = driven(&conversation, Powers::Planned, WIDE).did(&tidied);
        did.into_iter().map(|did| did.note).collect::<Vec<_>>()
    };
    assert_eq!(notes(1), ["1 old block made short", "1 result in its short form"]);
    assert_eq!(notes(2), ["2 old blocks made short", "2 results in their short forms"]);
}

#[test]
fn two_runs_are_the_same() {
    let story = long();
    let conversation = story.conversation();
    for powers in ALL {
        let once = || format!("{:?}", run(&conversation, powers, 30_000));
        assert_eq!(once(), once(), "{powers:?}");
    }
}

#[test]
fn going_back_shows_what_was_there() {
    let story = Story::new().user("go").reads(1..=20).rewind(3).user("other").reads(21..=24).say("end");
    let conversation = story.conversation();
    for powers in ALL {
        let (run, figures) = run(&conversation, powers, WIDE);
        assert_sound(&run, &figures, &format!("{powers:?}"));
        let mut driven = driven(&conversation, powers, WIDE);
        let shown = (0..=20).map(|call| show(&mut driven, call)).last().unwrap();
        assert_eq!(shown, raw(conversation.before(20)), "{powers:?}");
    }
}

#[test]
fn going_back_to_the_beginning_shows_nothing_of_before() {
    let story = Story::new().user("go").reads(1..=20).rewind_to_the_beginning().user("other");
    let story = story.reads(21..=40).searches("part22_17").say("end");
    let conversation = story.conversation();
    for powers in ALL {
        let (run, figures) = run(&conversation, powers, WIDE);
        assert_sound(&run, &figures, &format!("{powers:?}"));
        let mut driven = driven(&conversation, powers, WIDE);
        let steps: Vec<Step> = (0..conversation.calls.len()).map(|call| driven.show(call)).collect();
        assert_eq!(describe(&steps[20].shown), raw(conversation.before(20)), "{powers:?}");
        let of_before = |part: &Part| match part {
            Part::Raw(piece) => *piece < 41,
            Part::Made(made) => made.text.contains("compute_part1("),
        };
        assert!(steps[20..].iter().all(|step| !step.shown.parts.iter().any(of_before)), "{powers:?}");
        if powers == Powers::Fixed {
            // Folds of the session that was left are still held to their evidence.
            let (left, new): (Vec<_>, Vec<_>) = run.calls.iter().enumerate().partition(|(call, _)| *call < 20);
            let folds = |calls: &[(usize, &simulate::CallRun)]| calls.iter().any(|(_, call)| !call.did.is_empty());
            assert!(folds(&left) && folds(&new));
            assert!(run.calls[40].needs.iter().all(|found| *found != Found::Reached(Reach::Lost)));
            assert_eq!(run.calls[40].needs.len(), 1);
            assert!(run.evidence.all > driven_evidence(&story, 20));
        }
    }
}

/// How many facts and anchors there are after so many calls.
fn driven_evidence(story: &Story, calls: usize) -> u64 {
    let conversation = story.conversation();
    let mut driven = driven(&conversation, Powers::Fixed, WIDE);
    (0..calls).for_each(|call| drop(driven.show(call)));
    driven.evidence().all
}

#[test]
fn recordings_with_holes_are_shown() {
    let lost = |id: &str| NewPart::Call { id: id.into(), name: "run".into(), arguments: "{}".into() };
    let thought = NewPart::Thinking { text: "hm".into(), seal: lookback_wire::Seal::None };
    let stories = [
        ("a call without a user's turn", Story::new().say("hello").step(&["one"]).user("go").say("end")),
        ("an interrupted answer", Story::new().user("go").say("hal").cancelled().user("on").say("end")),
        (
            "an answer that only thought",
            Story::new().user("go").call(vec![thought], &[]).cancelled().user("on").say("e"),
        ),
        ("a missing result", Story::new().user("go").call(vec![lost("a"), lost("b")], &["x"]).say("end")),
        ("no result at all", Story::new().user("go").call(vec![lost("a")], &[]).user("again").step(&["x"]).say("end")),
        ("a client that goes on", Story::new().user("go").say("one").say("two").step(&["x"]).say("end")),
        ("the same ids again", Story::new().user("go").call(vec![lost("a")], &["x"]).call(vec![lost("a")], &["y"])),
    ];
    for (what, story) in stories {
        for format in [Format::ClaudeCode, Format::Codex, Format::MiniSweAgent] {
            let mut story = Story(story.0.clone());
            story.0.format = format;
            let conversation = story.conversation();
            for powers in ALL {
                let (run, figures) = run(&conversation, powers, WIDE);
                assert_sound(&run, &figures, &format!("{what}, {format:?}, {powers:?}"));
                let mut driven = driven(&conversation, powers, WIDE);
                for call in 0..conversation.calls.len() {
                    let parts = driven.show(call).shown.parts;
                    let holds = |text: &str| parts.iter().any(|part| part.text(&conversation).contains(text));
                    let says = |piece: &usize| !conversation.pieces[*piece].text.trim().is_empty();
                    for piece in conversation.before(call).filter(says) {
                        assert!(
                            holds(&conversation.pieces[piece].text),
                            "{what}, {powers:?}: piece {piece}, call {call}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_result_beyond_the_limit_is_shown_cut_and_can_be_reached() {
    let huge = (0..6_000).map(|line| format!("output line number_{line}\n")).collect::<String>();
    let story = Story::new().user("go").step(&[&huge]).searches("number_3000").say("end");
    let conversation = story.conversation();
    let (run, figures) = run(&conversation, Powers::Planned, WIDE);
    assert_sound(&run, &figures, "a cut result");
    assert_eq!(run.calls[1].needs.len(), 1);
    assert!(matches!(run.calls[1].needs[0], Found::Reached(Reach::Range | Reach::Direct)), "{:?}", run.calls[1].needs);
    let mut driven = driven(&conversation, Powers::Planned, WIDE);
    drop(driven.show(0));
    let shown = driven.show(1).shown;
    let Part::Made(made) = &shown.parts[2] else { panic!("{shown:?}") };
    assert_eq!(made.stands, Stands::ForResult(2));
    assert!(made.tokens < conversation.pieces[2].tokens / 2, "{} tokens", made.tokens);
}
