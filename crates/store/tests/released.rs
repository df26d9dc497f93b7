//! Outputs leave a session's memory once they are on the disk, and everything is answered as if they had not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    evidence::pointer::Pointer,
    trace::{
        AsCame, BlobHash, Blobs, BothEnds, NoBlobs, Origin, Output, ResultData, Stop, Timestamp, ToolResult,
        result::{LineForm, ReadData, RunData},
    },
};
use lookback_store::{
    Durability::{Durable, Grouped},
    SessionWriter,
};
use support::{home, id, noise};

const LARGE: usize = 20_000;

fn context(blobs: &dyn Blobs) -> Context<'_> {
    Context { now: Timestamp(1_763_200_000_000), count: &|bytes| bytes.len().div_ceil(4) as u32, blobs }
}

fn begin() -> Session {
    let setup = SessionSetup { window: 2_000_000, ..SessionSetup::new(id("session")) };
    Session::start(setup, &context(&NoBlobs)).unwrap()
}

fn step(session: &mut Session, number: usize, result: ToolResult, blobs: &dyn Blobs) {
    let (now, call) = (context(blobs), format!("call-{number}"));
    let kind = result.data.kind();
    session.start_call(&now).unwrap();
    let asked = NewPart::Call { id: call.clone(), name: "Tool".into(), arguments: "{}".into() };
    session.assistant_turn(vec![NewPart::Text(format!("step {number}")), asked], Stop::End, &now).unwrap();
    session.tool_call(&call, kind, &now).unwrap();
    session.tool_result(&call, result, &now).unwrap();
}

/// Reads of one file, and runs with long and with short outputs.
fn result(number: usize) -> ToolResult {
    let run = |output: String| {
        let data = RunData { command: "make test".into(), exit_code: Some(1), ..RunData::default() };
        ToolResult::success(output, ResultData::Run(data))
    };
    match number % 3 {
        0 => {
            let text = noise(LARGE, number as u64 / 6);
            let data = ReadData {
                path: "src/ledger.rs".into(),
                first_line: 1,
                line_count: text.lines().count() as u32,
                total_lines: None,
                form: LineForm::Plain { start: 0, end: text.len() as u64 },
                mtime: None,
                truncated: false,
            };
            ToolResult::success(text, ResultData::Read(data))
        }
        1 => run(format!("{}\nerror: the balance is wrong\n", noise(LARGE, number as u64))),
        _ => run("error: the balance is wrong\n".into()),
    }
}

fn is_inline(output: &Output) -> bool {
    matches!(output, Output::Inline(bytes) if bytes.len() >= LARGE)
}

fn large_outputs(session: &Session) -> usize {
    session.trace().iter().flat_map(|event| event.event.outputs()).filter(|output| is_inline(output)).count()
}

fn save(writer: &mut SessionWriter, session: &mut Session) {
    writer.append(&session.trace()[writer.next().0 as usize..], Durable).unwrap();
    writer.release(session);
}

#[test]
fn outputs_leave_memory_when_they_are_on_the_disk_and_not_before() {
    let (home, store) = home();
    let mut session = begin();
    session.user_turn("fix it", Origin::Person, &context(&store)).unwrap();
    let mut writer = store.create(session.trace()).unwrap();
    step(&mut session, 1, result(1), &store);
    step(&mut session, 2, result(2), &store);
    let whole = session.trace().to_vec();
    // Nobody can write meanwhile, so the group waits.
    let other = rusqlite::Connection::open(home.path().join("lookback.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    writer.append(&whole[writer.next().0 as usize..], Grouped).unwrap();
    writer.release(&mut session);
    assert_eq!(session.trace(), whole, "the only copy");
    other.execute_batch("ROLLBACK").unwrap();
    writer.flush().unwrap();
    writer.release(&mut session);
    assert_eq!(large_outputs(&session), 0);
    assert_eq!(
        session.trace(),
        store.events(&id("session")).unwrap(),
        "named as the store names them, small ones kept"
    );
    let again: Vec<_> = session.trace().iter().map(|event| store.inline(event.clone()).unwrap()).collect();
    assert_eq!(again, whole);
}

#[test]
fn an_output_that_was_never_in_memory_is_taken_in_by_its_hash() {
    let (_home, store) = home();
    let mut session = begin();
    session.user_turn("print much", Origin::Person, &context(&store)).unwrap();
    let mut writer = store.create(session.trace()).unwrap();
    let all = noise(20 << 20, 7);
    let hash = BlobHash::of(all.as_bytes());
    let broken = store.keep_output(&id("session"), &hash, &mut &all.as_bytes()[1..]).unwrap_err();
    assert!(broken.to_string().contains("another hash"), "{broken}");
    assert!(store.blob(&hash).is_err(), "nothing of it is there");
    // Twice is once.
    for _ in 0..2 {
        store.keep_output(&id("session"), &hash, &mut all.as_bytes()).unwrap();
    }
    let ends = BothEnds { head: "first\n".into(), tail: "last\n".into(), len: 12, hash };
    let run = RunData { command: "make noise".into(), exit_code: Some(0), ..RunData::default() };
    let mut result = ToolResult::success("", ResultData::Run(run));
    result.text = Output::Beyond(Box::new(ends));
    let raw = Some(Output::Blob { hash, len: all.len() as u64 });
    result.as_came = Some(Box::new(AsCame { parts: Vec::new(), raw }));
    step(&mut session, 1, result, &store);
    save(&mut writer, &mut session);
    let place = "cmd#1".parse::<Pointer>().unwrap().place;
    let recalled = session.recall(&place, &store).unwrap();
    assert!(recalled.pieces.iter().any(|piece| piece.bytes == all), "all of it, and not both ends");
    drop(writer);
    store.remove(&[id("session")]).unwrap();
    assert!(store.blob(&hash).is_err(), "it goes with its session");
}

#[test]
fn recalls_folds_and_prompts_are_the_same_without_them() {
    let (_home, store) = home();
    let (mut whole, mut released) = (begin(), begin());
    whole.user_turn("fix the ledger", Origin::Person, &context(&NoBlobs)).unwrap();
    released.user_turn("fix the ledger", Origin::Person, &context(&store)).unwrap();
    let mut writer = store.create(released.trace()).unwrap();
    for number in 0..24 {
        step(&mut whole, number, result(number), &NoBlobs);
        step(&mut released, number, result(number), &store);
        save(&mut writer, &mut released);
    }
    assert_eq!((large_outputs(&whole), large_outputs(&released)), (16, 0));
    assert_same_answers(&whole, &released, &store);

    let draft = whole.draft_fold(None, &context(&NoBlobs)).unwrap();
    whole.fold_by_rules(&draft, &context(&NoBlobs)).unwrap();
    let draft = released.draft_fold(None, &context(&store)).unwrap();
    released.fold_by_rules(&draft, &context(&store)).unwrap();
    save(&mut writer, &mut released);
    assert_eq!(whole.trace().last(), released.trace().last(), "the same block");
    assert!(whole.view().entries().len() < 20, "much of it is folded");
    assert_same_answers(&whole, &released, &store);

    whole.unfold(1, &context(&NoBlobs)).unwrap();
    released.unfold(1, &context(&store)).unwrap();
    assert_same_answers(&whole, &released, &store);
}

fn assert_same_answers(whole: &Session, released: &Session, store: &dyn Blobs) {
    let turns = (0..whole.turns()).map(|turn| format!("turn#{turn}"));
    let commands = (1..=16).map(|command| format!("cmd#{command}"));
    let files = ["file:src/ledger.rs".to_owned(), "file:src/ledger.rs:L3-L40".to_owned()];
    for pointer in turns.chain(commands).chain(files) {
        let place = pointer.parse::<Pointer>().unwrap().place;
        let recalled = whole.recall(&place, &NoBlobs).unwrap();
        assert_eq!(format!("{recalled:?}"), format!("{:?}", released.recall(&place, store).unwrap()), "{pointer}");
    }
    assert_eq!(whole.body(&NoBlobs).unwrap(), released.body(store).unwrap());
}
