use lookback_engine::{
    Context, Session, SessionSetup,
    trace::{
        BlobHash, Origin, SessionId, Status, Stop,
        event::{CallDetails, CallOver, ClientCompacted},
        result::RunData,
    },
};

use lookback_wire::TokenUsage;

use super::*;
use crate::recording::{Billed, Format, Recording};

/// As if a file held these events.
fn recording_of<'a>(events: impl Iterator<Item = &'a Event>, blobs: &dyn Blobs) -> Recording {
    let mut recording = Recording::new(Format::Lookback);
    let mut importer = LookbackImporter::default();
    for (number, event) in (1..).zip(events) {
        importer.event(number, event.clone(), blobs, &mut recording);
    }
    importer.finish(&mut recording);
    recording.about = importer.about;
    recording
}

fn count(bytes: &[u8]) -> u32 {
    bytes.len() as u32
}

fn at(now: i64) -> Context<'static> {
    Context { now: Timestamp(now), count: &count, blobs: &NoBlobs }
}

fn call(id: &str) -> NewPart {
    NewPart::Call { id: id.into(), name: "Bash".into(), arguments: "{}".into() }
}

fn run(text: &str) -> ToolResult {
    ToolResult::success(
        text,
        ResultData::Run(RunData { command: "ls".into(), exit_code: Some(0), ..RunData::default() }),
    )
}

/// Two steps; then the person goes back to the first, and on from there.
fn session() -> Session {
    let mut session = Session::start(SessionSetup::new(SessionId("abc".into())), &at(0)).unwrap();
    session.user_turn("one", Origin::Person, &at(10)).unwrap();
    session.start_call(&at(20)).unwrap();
    session.assistant_turn(vec![NewPart::Text("hm".into()), call("a"), call("b")], Stop::End, &at(30)).unwrap();
    let billed = TokenUsage { uncached: 5, cached: 6, written: 7, output: 8, ..TokenUsage::default() };
    session.usage(Usage { call: session.last_call(), billed }, &at(31)).unwrap();
    session.tool_result("b", run("second"), &at(40)).unwrap();
    session.tool_result("a", run("first"), &at(41)).unwrap();
    session.start_call(&at(50)).unwrap();
    let cut = NewPart::UnfinishedCall { id: "d".into(), name: "Bash".into(), arguments: "{".into() };
    session.assistant_turn(vec![call("c"), cut], Stop::Cancelled, &at(60)).unwrap();
    session.roll_back(TurnNo(2), &at(70)).unwrap();
    session.user_turn("two", Origin::Queued, &at(80)).unwrap();
    session.start_call(&at(90)).unwrap();
    session.assistant_turn(vec![NewPart::Text("again".into())], Stop::End, &at(95)).unwrap();
    session
}

fn story(recording: &Recording) -> Vec<String> {
    let results = |call: &crate::recording::CallItem| {
        let shown = call.results.iter().map(|result| match result.status {
            Status::Interrupted => "-".to_owned(),
            _ => String::from_utf8(result.text.bytes(&NoBlobs).unwrap_or_default().to_vec()).unwrap(),
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    let tell = |item: &Item| match item {
        Item::User(user) => format!("{:?}: {}", user.origin, user.text),
        Item::Call(call) => format!("call at {} {:?} [{}]", call.at.map_or(0, |at| at.0), call.stop, results(call)),
        Item::Compaction(_) => "compaction".to_owned(),
        Item::Rewind { last } => format!("back to {last:?}"),
    };
    recording.items.iter().map(tell).collect()
}

const STORY: [&str; 6] = [
    "Person: one",
    "call at 20 End [first second]",
    "call at 50 Cancelled [-]",
    "back to Some(1)",
    "Queued: two",
    "call at 90 End []",
];

#[test]
fn a_stored_session() {
    let recording = recording_of(session().trace().iter(), &NoBlobs);
    assert_eq!(recording.skipped, []);
    assert_eq!(story(&recording), STORY);
    assert_eq!(recording.about.session.as_deref(), Some("abc"));
    let calls: Vec<_> = recording.calls().collect();
    assert_eq!(calls[0].billed, Some(Billed { uncached: 5, read: 6, written: 7, output: 8, written_1h: 0 }));
    assert_eq!(calls[1].billed, None);
    assert!(matches!(&calls[1].parts[1], NewPart::UnfinishedCall { id, .. } if id == "d"));
}

#[test]
fn the_same_from_its_lines() {
    let mut recording = Recording::new(Format::Lookback);
    let mut importer = LookbackImporter::default();
    for (number, event) in (1..).zip(session().trace()) {
        importer.line(number, &serde_json::to_vec(event).unwrap(), &mut recording);
    }
    importer.line(99, b"{\"seq\": 9", &mut recording);
    importer.finish(&mut recording);
    assert_eq!(story(&recording), STORY);
    assert_eq!(recording.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [99]);
}

#[test]
fn a_fork_goes_on_from_its_turn() {
    let mut fork = session().fork(SessionId("def".into()), TurnNo(2), &at(100)).unwrap();
    fork.user_turn("three", Origin::Person, &at(110)).unwrap();
    let recording = recording_of(fork.trace().iter(), &NoBlobs);
    assert_eq!(recording.skipped, []);
    assert_eq!(story(&recording), ["Person: one", "call at 20 End [first second]", "Person: three"]);
    assert_eq!(recording.about.session.as_deref(), Some("def"));
}

#[test]
fn outputs_that_are_not_there_are_said() {
    let mut events = session().trace().to_vec();
    for event in &mut events {
        for output in event.event.outputs_mut() {
            *output = Output::Blob { hash: BlobHash::of(b"first"), len: 5 };
        }
    }
    let recording = recording_of(events.iter(), &NoBlobs);
    let reasons: Vec<&str> = recording.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert!(reasons.len() >= 2 && reasons.iter().all(|reason| reason.contains("is not in the store")), "{reasons:?}");
    assert_eq!(recording.items.len(), STORY.len());
}

#[test]
fn a_late_result_belongs_to_no_other_call() {
    let mut session = session();
    session.user_turn("three", Origin::Person, &at(100)).unwrap();
    session.start_call(&at(110)).unwrap();
    session.assistant_turn(vec![call("e")], Stop::End, &at(120)).unwrap();
    let mut events = session.trace().to_vec();
    let late =
        events.iter().find(|event| matches!(event.event, EventBody::ToolResult { index: 0, .. })).unwrap().clone();
    events.push(late);
    let recording = recording_of(events.iter(), &NoBlobs);
    assert_eq!(recording.skipped, []);
    assert_eq!(story(&recording).last().unwrap(), "call at 110 End [-]");
}

#[test]
fn a_fold_in_the_middle_of_a_step_is_told_behind_it() {
    let mut events: Vec<Event> = session().trace().to_vec();
    let answer = events.iter().position(|event| matches!(event.event, EventBody::AssistantTurn(_))).unwrap();
    let fold = Event { event: EventBody::Fold(Box::default()), ..events[answer].clone() };
    events.insert(answer + 1, fold);
    let story = story(&recording_of(events.iter(), &NoBlobs));
    assert_eq!(story[..4], [&STORY[..2], &["compaction"], &STORY[2..3]].concat());
}

#[test]
fn a_clients_own_compactions_stand_where_they_were() {
    let mut session = session();
    let billed = TokenUsage { uncached: 9, output: 2, ..TokenUsage::default() };
    let compacted = ClientCompacted { kind: CompactionKind::Results, billed: None };
    session.client_compacted(compacted, &at(96)).unwrap();
    let over = CallOver { usage: Some(billed), problem: None };
    let call = CallDetails { kind: CallKind::ClientCompaction, over: Some(over), ..CallDetails::default() };
    session.call_beside(call, &at(97)).unwrap();
    session.client_compacted(ClientCompacted { kind: CompactionKind::Head, billed: Some(billed) }, &at(98)).unwrap();
    let recording = recording_of(session.trace().iter(), &NoBlobs);
    let compaction = |kind, now, billed: Option<TokenUsage>| {
        Item::Compaction(Compaction { kind, at: Some(Timestamp(now)), billed: billed.map(Billed::from) })
    };
    let expected = [
        compaction(CompactionKind::Results, 96, None),
        compaction(CompactionKind::Head, 97, Some(billed)),
        compaction(CompactionKind::Head, 98, Some(billed)),
    ];
    assert_eq!(format!("{:?}", &recording.items[STORY.len()..]), format!("{expected:?}"));
}
