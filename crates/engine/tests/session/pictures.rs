//! What becomes of a picture that a tool gave: shown while its step is live, gone with a fold, kept in the trace.

use lookback_engine::{
    ModelChoice, Session, SessionSetup,
    card::Pictures,
    trace::{CamePart, Image, NoBlobs, Output, ResultData, SessionId, ToolResult, TurnNo},
};
use lookback_wire::Provider;
use serde_json::json;

use crate::workday::Day;

/// 640 by 480 pixels: 410 tokens.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0";
const IN_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=";

fn day(pictures: Pictures) -> Day {
    let setup = SessionSetup { pictures, ..SessionSetup::new(SessionId("pictures0000".into())) };
    let mut day = Day::with(setup);
    day.go_on_working("make the logo larger", 3);
    day
}

fn look(day: &mut Day) -> TurnNo {
    let image = Image { media_type: "image/png".into(), bytes: Output::new(LOGO.to_vec()) };
    let result = ToolResult::success("", ResultData::Other(json!({ "path": "logo.png" })))
        .with_parts(vec![CamePart::Text("logo.png: a picture".into()), CamePart::Image(image)], None);
    day.step("", "Read", json!({ "path": "logo.png" }), result)
}

fn body(session: &Session) -> String {
    String::from_utf8(session.request(&NoBlobs).expect("no blobs are needed")).expect("text")
}

fn shows(session: &Session) -> bool {
    body(session).contains(IN_BASE64)
}

#[test]
fn it_is_shown_counted_and_replayed() {
    let mut day = day(Pictures::Shown);
    let before = day.session.view().tokens();
    let turn = look(&mut day);
    assert!(shows(&day.session));
    let grown = day.session.view().tokens() - before;
    assert!((410..460).contains(&grown), "{grown}");
    let again = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("whole");
    assert_eq!(body(&again), body(&day.session));
    assert!(crate::story::recall(&day.session, &format!("turn#{turn}")).expect("it is there").contains("logo.png"));
}

#[test]
fn a_fold_takes_it_out_and_leaves_what_stands_before() {
    let mut day = day(Pictures::Shown);
    look(&mut day);
    day.go_on_working("and now the tests", 6);
    let draft = day.session.draft_fold(None, &day.now()).expect("enough to fold");
    day.session.fold_by_rules(&draft, &day.now()).expect("a fold");
    assert!(!shows(&day.session), "{}", body(&day.session));
    let again = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("whole");
    assert_eq!(body(&again), body(&day.session));
}

#[test]
fn a_model_that_does_not_see_gets_words() {
    let mut blind = day(Pictures::Named);
    look(&mut blind);
    assert!(!shows(&blind.session) && body(&blind.session).contains("logo.png: a picture"));
    // Another model takes over, and back.
    let mut seeing = day(Pictures::Shown);
    look(&mut seeing);
    seeing.answer("It is blue.");
    let choice = |pictures| ModelChoice { pictures, ..ModelChoice::new("other", Provider::Anthropic, 200_000) };
    seeing.session.model_changed(choice(Pictures::Named), &seeing.now()).expect("idle");
    seeing.user("go on");
    assert!(!shows(&seeing.session) && body(&seeing.session).contains("You do not see the picture"));
    seeing.answer("As you say.");
    seeing.session.model_changed(choice(Pictures::Shown), &seeing.now()).expect("idle");
    seeing.user("go on");
    assert!(shows(&seeing.session));
}

/// In a step of its own.
fn look_at(day: &mut Day, width: u32, height: u32) {
    let mut bytes = LOGO.to_vec();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let image = Image { media_type: "image/png".into(), bytes: Output::new(bytes) };
    let result = ToolResult::success("", ResultData::Other(json!({ "path": "shot.png" })))
        .with_parts(vec![CamePart::Text("shot.png: a picture".into()), CamePart::Image(image)], None);
    day.step("", "Read", json!({ "path": "shot.png" }), result);
}

fn shown(day: &Day) -> (usize, usize) {
    let body = body(&day.session);
    (body.matches("\"type\":\"image\"").count(), body.matches("No room for the picture").count())
}

/// Anthropic refuses more than twenty where one has more than 2,000 pixels on a side.
#[test]
fn a_large_one_is_not_shown_among_many() {
    let mut small = day(Pictures::Shown);
    (0..21).for_each(|_| look_at(&mut small, 2_000, 1_000));
    assert_eq!(shown(&small), (21, 0));
    look_at(&mut small, 2_001, 10);
    assert_eq!(shown(&small), (21, 1), "the large one is named");
    look_at(&mut small, 10, 10);
    assert_eq!(shown(&small), (22, 1));

    let mut large = day(Pictures::Shown);
    look_at(&mut large, 10, 2_560);
    (0..19).for_each(|_| look_at(&mut large, 10, 10));
    assert_eq!(shown(&large), (20, 0));
    look_at(&mut large, 10, 10);
    assert_eq!(shown(&large), (20, 1), "behind a large one the 21st is named");
    let again = Session::replay(large.session.trace().to_vec(), &NoBlobs).expect("whole");
    assert_eq!(body(&again), body(&large.session));
}
