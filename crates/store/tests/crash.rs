//! Killed at any moment: every acknowledged event is there, no number is missing, the view is valid, nothing needs
//! repair. `LOOKBACK_CRASHES=200 cargo test -p lookback-store --test crash` kills more often.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    cell::Cell,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{BlobHash, Event, Origin, Output, ResultData, Stop, Timestamp, ToolResult, result::RunData},
};
use lookback_store::{
    Durability::{Durable, Grouped},
    SessionWriter, Store,
};
use lookback_wire::{Provider, check_body};
use rusqlite::Connection;
use support::{home, id, noise, result, start, user};

const HOME: &str = "LOOKBACK_TEST_CRASH_HOME";

/// Appends without end and prints the number of the last event that is acknowledged.
#[test]
fn writing_process() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let store = Store::open(Path::new(&home)).unwrap();
    let mut writer = store.writer(&id("session")).unwrap();
    loop {
        let next = writer.next().0;
        let events = [
            user(next, &format!("grouped before {next}")),
            user(next + 1, "a question"),
            result(next + 2, noise(20_000, next)),
        ];
        writer.append(&events[..1], Grouped).unwrap();
        writer.append(&events[1..], Durable).unwrap();
        acknowledge(&events);
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let (home, store) = home();
    drop(store.create(&[start("session")]).unwrap());
    drop(store);
    kill_again_and_again("writing_process", home.path(), |store| {
        for event in store.events(&id("session")).unwrap().into_iter().rev().take(5) {
            store.inline(event).unwrap();
        }
    });
}

fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

fn context(store: &Store) -> Context<'_> {
    Context { now: Timestamp(1_763_200_000_000), count: &count, blobs: store }
}

/// A whole agent's session, resumed where the process before was killed: each event is durable before the next is made.
#[test]
fn working_process() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let store = Store::open(Path::new(&home)).unwrap();
    let mut writer = store.writer(&id("session")).unwrap();
    let mut session = Session::replay(store.events(&id("session")).unwrap(), &store).unwrap();
    let now = context(&store);
    session.resume(&now).unwrap();
    loop {
        session.user_turn("what does it say?", Origin::Person, &now).unwrap();
        save(&session, &mut writer);
        session.start_call(&now).unwrap();
        save(&session, &mut writer);
        let ids = ["a", "b"].map(|name| format!("{name}{}", session.next_event()));
        let call = |id: &String| NewPart::Call { id: id.clone(), name: "Bash".into(), arguments: "{}".into() };
        session.assistant_turn(ids.iter().map(call).collect(), Stop::End, &now).unwrap();
        save(&session, &mut writer);
        for id in &ids {
            session.tool_result(id, run(session.next_event().0), &now).unwrap();
            save(&session, &mut writer);
        }
        // The view would outgrow its window in a long test: go back to the beginning now and then.
        if session.view().tokens() > 100_000 {
            let first = session.state().rounds()[0].first;
            session.roll_back(first, &now).unwrap();
        }
    }
}

fn save(session: &Session, writer: &mut SessionWriter) {
    let from = writer.next().0 as usize;
    writer.append(&session.trace()[from..], Durable).unwrap();
    acknowledge(&session.trace()[from..]);
}

fn run(seed: u64) -> ToolResult {
    let data = RunData { command: "cat notes.txt".into(), exit_code: Some(0), ..RunData::default() };
    let mut result = ToolResult::success("", ResultData::Run(data));
    result.text = Output::new(noise(if seed.is_multiple_of(5) { 30_000 } else { 300 }, seed));
    result
}

#[test]
fn a_killed_session_goes_on_with_a_valid_view() {
    let (home, store) = home();
    let session = Session::start(SessionSetup::new(id("session")), &context(&store)).unwrap();
    drop(store.create(session.trace()).unwrap());
    drop(store);
    let checked = Cell::new(0);
    kill_again_and_again("working_process", home.path(), |store| {
        let mut session = Session::replay(store.events(&id("session")).unwrap(), store).unwrap();
        session.resume(&context(store)).unwrap();
        if session.start_call(&context(store)).is_ok() {
            checked.set(checked.get() + 1);
            for provider in Provider::ALL {
                check_body(provider, &session.body_for(provider, store).unwrap()).unwrap();
            }
        }
    });
    assert!(checked.get() > 0, "no view was ever checked");
}

/// By number and content, so that another event in its place is noticed, too.
fn acknowledge(events: &[Event]) {
    let mut output = std::io::stdout().lock();
    for event in events {
        writeln!(output, "\nacknowledged {} {}", event.seq.0, hash(event)).unwrap();
    }
    output.flush().unwrap();
}

fn hash(event: &Event) -> String {
    BlobHash::of(&serde_json::to_vec(event).unwrap()).to_string()
}

/// Starts the process of this name, kills it at a random moment, looks at what it left, and does so again.
fn kill_again_and_again(process: &str, home: &Path, look: impl Fn(&Store)) {
    let crashes = std::env::var("LOOKBACK_CRASHES").map_or(20, |crashes| crashes.parse().unwrap());
    let mut random = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as u64;
    let mut acknowledged = 0;
    let mut compared = 0;
    for crash in 0..crashes {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", process, "--nocapture"])
            .env(HOME, home)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let reader = thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            let told = lines.filter_map(|line| {
                let (seq, hash) = line.strip_prefix("acknowledged ")?.split_once(' ')?;
                Some((seq.parse::<u64>().ok()?, hash.to_owned()))
            });
            told.collect::<Vec<_>>()
        });
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(crash + 1);
        thread::sleep(Duration::from_micros(20_000 + (random >> 33) % 80_000));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "{process} ended by itself");
        let told = reader.join().unwrap();
        acknowledged = told.last().map_or(acknowledged, |(seq, _)| *seq);

        let store = Store::open(home).unwrap();
        let events = store.events(&id("session")).unwrap();
        assert!(events.len() as u64 > acknowledged, "{} events, {acknowledged} acknowledged", events.len());
        assert!(events.iter().map(|event| event.seq.0).eq(0..events.len() as u64));
        for (seq, told) in &told {
            // A line that was cut by the kill has no whole hash.
            if told.len() == BlobHash([0; 32]).to_string().len() {
                let event = store.inline(events[*seq as usize].clone()).unwrap();
                assert_eq!(hash(&event), *told, "event {seq} has another content");
                compared += 1;
            }
        }
        assert_eq!(store.writer(&id("session")).unwrap().next().0, events.len() as u64);
        look(&store);
    }
    assert!(acknowledged > 0 && compared > 0, "no process came to write anything");
    let connection = Connection::open(home.join("lookback.db")).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')", []).unwrap();
}
