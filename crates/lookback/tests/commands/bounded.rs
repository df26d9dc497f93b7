//! Small files that ask for much: every command ends by itself, within ten seconds and 512 MB, and says what it skipped.

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::foreign::sessions::CLAUDE_CODE;

const PATIENCE: Duration = Duration::from_secs(10);
const KILOBYTES: u64 = 512 << 10;

/// How a command ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    Well,
    WithAnError,
    /// It panicked, was out of memory, or did not end.
    Badly(String),
}

pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

/// The kernel gives the process no more memory than that, and then it aborts: the bound is on what it asks for.
pub(crate) fn run(home: &Path, arguments: &[&str]) -> Ran {
    run_for(home, arguments, PATIENCE)
}

fn run_for(home: &Path, arguments: &[&str], patience: Duration) -> Ran {
    let begun = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -d {KILOBYTES} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_lookback")])
        .args(arguments)
        .env("LOOKBACK_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    // Read at once: a full pipe would hold the program up.
    let read = |mut pipe: Box<dyn std::io::Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
        })
    };
    let out = read(Box::new(child.stdout.take().expect("piped")));
    let err = read(Box::new(child.stderr.take().expect("piped")));
    let status = loop {
        match child.try_wait().expect("it is ours") {
            Some(status) => break Some(status),
            None if begun.elapsed() > patience => break None,
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    if status.is_none() {
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }
    let took = begun.elapsed();
    let out = out.join().expect("it reads");
    let err = String::from_utf8_lossy(&err.join().expect("it reads")).into_owned();
    let ended = match status.map(|status| status.code()) {
        Some(Some(0)) => Ended::Well,
        Some(Some(1)) => Ended::WithAnError,
        Some(_) => Ended::Badly(format!("{status:?}: {err}")),
        None => Ended::Badly(format!("it ran for more than {} s", patience.as_secs())),
    };
    Ran { ended, out, err, took }
}

/// Writes a file of some kilobytes and gives it to both commands that read foreign files: what each said.
fn read_packed(parts: &[&[u8]]) -> [(Ended, String); 2] {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("recording.jsonl.zst");
    let packed = zstd::encode_all(&*parts.concat(), 1).expect("memory");
    assert!(packed.len() < 1 << 20, "{}", packed.len());
    fs::write(&file, packed).expect("a file");
    let file = file.to_str().expect("text");
    // The machines of others are slow, and the program is not optimised here: memory is what is looked at.
    [["import", file], ["replay", file]].map(|arguments| {
        let ran = run_for(home.path(), &arguments, Duration::from_secs(300));
        (ran.ended, ran.err)
    })
}

/// A line of Claude Code's with this content.
fn line(number: usize, message: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        r#"{{"parentUuid":"u9","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"assistant","uuid":"x{number}","timestamp":"2026-05-01T10:01:00.000Z","message":{{"id":"{message}","role":"assistant","model":"claude-sonnet-4-6","content":"#
    );
    [head.as_bytes(), content, b"}}\n"].concat()
}

#[test]
fn a_line_of_many_values_is_skipped_with_its_place() {
    let blocks = [b"[".as_slice(), &b"{},".repeat(11_000_000), b"{}]"].concat();
    for (ended, said) in read_packed(&[CLAUDE_CODE.as_bytes(), &line(1, "m9", &blocks)]) {
        assert_eq!(ended, Ended::Well, "{said}");
        assert!(said.contains("line 8: more than 100,000 JSON values; skipped"), "{said}");
    }
}

/// Each line is within the bounds, and what is made of its many parts is many times its text.
#[test]
fn answers_of_many_short_parts_do_not_add_up() {
    let parts = [b"[".as_slice(), &br#"{"type":"text","text":"a"},"#.repeat(33_000), br#"{"type":"text","text":"a"}]"#];
    let lines: Vec<Vec<u8>> = (0..200).map(|number| line(number, &format!("m{number}"), &parts.concat())).collect();
    let parts: Vec<&[u8]> = [CLAUDE_CODE.as_bytes()].into_iter().chain(lines.iter().map(Vec::as_slice)).collect();
    let [(ended, said), (replayed, refused)] = read_packed(&parts);
    assert_eq!(ended, Ended::Well, "{said}");
    assert_eq!(replayed, Ended::WithAnError, "{refused}");
}

/// As much as is read of one line.
#[test]
fn what_is_within_the_bounds_is_read() {
    let text = [b"\"".as_slice(), &b"word ".repeat(6_400_000), b"\""].concat();
    for (ended, said) in read_packed(&[CLAUDE_CODE.as_bytes(), &line(1, "m9", &text)]) {
        assert_eq!((ended, said.contains("skipped")), (Ended::Well, false), "{said}");
    }
}

/// Whatever is kept of each word is kept of six millions.
#[test]
fn a_text_of_different_words_is_replayed() {
    let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let word = |number: usize| [238_328, 3_844, 62, 1].map(|place| letters[number / place % 62]);
    let words: Vec<u8> = (0..6_200_000).flat_map(|number| word(number).into_iter().chain([b' '])).collect();
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("recording.jsonl");
    let text = [b"\"".as_slice(), &words, b"\""].concat();
    fs::write(&file, [CLAUDE_CODE.as_bytes(), &line(1, "m9", &text)].concat()).expect("a file");
    let ran = run_for(home.path(), &["replay", file.to_str().expect("text")], Duration::from_secs(300));
    assert_eq!((ran.ended, ran.err.contains("skipped")), (Ended::Well, false), "{}", ran.err);
}

#[test]
fn a_line_longer_than_any_is_skipped_with_its_place() {
    let text = [b"\"".as_slice(), &b"word ".repeat(7_000_000), b"\""].concat();
    for (ended, said) in read_packed(&[CLAUDE_CODE.as_bytes(), &line(1, "m9", &text)]) {
        assert_eq!(ended, Ended::Well, "{said}");
        assert!(said.contains("line 8: longer than 32 MB; skipped"), "{said}");
    }
}

/// Arguments are JSON in a text: the line has few values.
#[test]
fn arguments_of_many_values_are_left_out() {
    let call = [
        br#"{"timestamp":"2026-05-01T10:00:09.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c9","arguments":"["#.as_slice(),
        &b"{},".repeat(11_000_000),
        b"{}]\"}}\n",
    ]
    .concat();
    for (ended, said) in read_packed(&[include_bytes!("../../../../fixtures/sessions/codex.jsonl"), &call]) {
        assert_eq!(ended, Ended::Well, "{said}");
        assert!(said.contains("the arguments of a call of shell: more than 100,000 JSON values; skipped"), "{said}");
    }
}

#[test]
fn a_response_without_end_is_not_held() {
    let text = [b"[{\"type\":\"text\",\"text\":\"".as_slice(), &b"word ".repeat(1_600_000), b"\"}]"].concat();
    let lines: Vec<Vec<u8>> = (0..60).map(|number| line(number, "m9", &text)).collect();
    let parts: Vec<&[u8]> = [CLAUDE_CODE.as_bytes()].into_iter().chain(lines.iter().map(Vec::as_slice)).collect();
    let [(ended, said), (replayed, refused)] = read_packed(&parts);
    assert_eq!(ended, Ended::Well, "{said}");
    assert!(said.contains("a response that is too long to be held in memory ends here"), "{said}");
    // Replay holds all of a session, and this one is 480 MB.
    assert_eq!(replayed, Ended::WithAnError, "{refused}");
    assert!(refused.contains("line 20") && refused.contains("to be held in memory"), "{refused}");
}

#[test]
fn documents_are_bounded_by_their_messages_and_their_size() {
    let document = |messages: &[u8]| {
        let first = br#"{"info":{"role":"user"},"parts":[{"type":"text","text":"hi"}]},{"info":{"role":"assistant"},"parts":[{"type":"text","text":"ho"}]}"#;
        [br#"{"info":{"id":"ses_1","directory":"/w"},"messages":["#.as_slice(), first, messages, b"]}"].concat()
    };
    let parts = |count| br#"{"type":"text","text":"a"},"#.repeat(count);
    let many = [br#",{"info":{"role":"assistant"},"parts":["#.as_slice(), &parts(2_200_000), b"{}]}"].concat();
    for (ended, said) in read_packed(&[&document(&many)]) {
        assert_eq!(ended, Ended::Well, "{said}");
        assert!(said.contains("message 3: more than 100,000 JSON values; skipped"), "{said}");
    }
    let tool = br#",{"info":{"role":"assistant"},"parts":["#.as_slice();
    let calls = [tool, &br#"{"type":"tool"},"#.repeat(40_000), b"{}]}"].concat().repeat(90);
    for (ended, said) in read_packed(&[&document(&calls)]) {
        assert_eq!(ended, Ended::WithAnError, "{said}");
        assert!(said.contains("message ") && said.contains("to be held in memory"), "{said}");
    }
    for (ended, said) in read_packed(&[&document(&b",{}".repeat(80_000_000))]) {
        assert_eq!(ended, Ended::WithAnError, "{said}");
        assert!(said.contains("one document, and this one is larger than 64 MB"), "{said}");
    }
}

#[test]
fn an_event_of_many_values_is_refused_with_its_line() {
    let trace = include_bytes!("../../../../fuzz/seeds/trace/imported");
    let event =
        [br#"{"seq":99,"at":1,"event":{"user_turn":["#.as_slice(), &b"{},".repeat(11_000_000), b"{}]}}\n"].concat();
    let lines = trace.iter().filter(|byte| **byte == b'\n').count();
    let [(ended, said), _] = read_packed(&[trace, &event]);
    assert_eq!(ended, Ended::WithAnError, "{said}");
    assert!(said.contains(&format!("line {} of ", lines + 1)) && said.contains("100,000 JSON values"), "{said}");
    let arguments = "[".to_owned() + &"{},".repeat(11_000_000) + "{}]";
    let trace = String::from_utf8_lossy(trace).replacen(r#""arguments":""#, &format!(r#""arguments":"{arguments}"#), 1);
    let [(ended, said), _] = read_packed(&[trace.as_bytes()]);
    assert_eq!(ended, Ended::WithAnError, "{said}");
    assert!(said.contains("line ") && said.contains("the arguments of a call: more than 100,000"), "{said}");
}

/// What our own tools print is as long as it is, up to a bound for `replay`, which finds each of its lines by number.
#[test]
fn an_event_of_many_lines_is_read_or_refused_with_its_line() {
    let trace = include_str!("../../../../fuzz/seeds/trace/imported");
    let printed = |lines| trace.replacen("F.\\n1 failed", &format!("F.{}1 failed", "\\n".repeat(lines)), 1);
    for (ended, said) in read_packed(&[printed(3_900_000).as_bytes()]) {
        assert_eq!((&ended, said.contains("lines of text")), (&Ended::Well, false), "{said}");
    }
    let [(imported, told), (_, skipped)] = read_packed(&[printed(4_100_000).as_bytes()]);
    assert_eq!(imported, Ended::WithAnError, "{told}");
    for said in [told, skipped] {
        assert!(said.contains("line 8") && said.contains("4,000,000 lines of text"), "{said}");
    }
}

/// What tools did is kept beside what they showed, line by line and value by value.
#[test]
fn what_tools_did_is_bounded_in_every_document() {
    let opencode = |tool: &str, state: &str| {
        format!(
            r#"{{"info":{{"role":"assistant"}},"parts":[{{"type":"tool","tool":"{tool}","state":{{"status":"completed",{state}}}}}]}}"#
        )
    };
    let gemini = |tool: &str, arguments: &str| {
        format!(r#"{{"type":"gemini","content":"","toolCalls":[{{"name":"{tool}","args":{arguments},"result":[]}}]}}"#)
    };
    let mini = |arguments: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"other","arguments":"{arguments}"}}}}]}},{{"role":"tool","tool_call_id":"c","content":""}}"#
        )
    };
    let found = format!(r#""input":{{"pattern":"b"}},"output":"/w/a:\n{}""#, r"  Line 1: b\n".repeat(4_000_000));
    let edit = format!(r#"{{"file_path":"a","old_string":"{}","new_string":"b"}}"#, r"\n".repeat(15_000_000));
    let values = format!("[{}0]", "0,".repeat(90_000));
    let documents = [
        (r#"{"info":{"id":"s"},"messages":["#, vec![opencode("grep", &found)], "lines of text; skipped"),
        (
            r#"{"sessionId":"s","projectHash":"a","kind":"main","messages":["#,
            vec![gemini("replace", &edit)],
            "lines of text; skipped",
        ),
        (r#"{"info":{"id":"s"},"messages":["#, vec![opencode("x", &format!(r#""input":{values}"#)); 300], "to be held"),
        (r#"{"info":{"mini_version":"2"},"messages":["#, vec![mini(&values); 300], "to be held"),
    ];
    for (before, messages, expected) in documents {
        for (ended, said) in read_packed(&[before.as_bytes(), messages.join(",").as_bytes(), b"]}"]) {
            assert!(!matches!(ended, Ended::Badly(_)) && said.contains(expected), "{before}: {ended:?} {said}");
        }
    }
}

/// Trees below the bound, again and again: none is kept when its message has been read.
#[test]
fn arguments_of_many_values_in_many_messages_are_read_one_by_one() {
    let values = format!("[{}0]", "0,".repeat(90_000));
    let message =
        format!(r#"{{"type":"gemini","content":"","toolCalls":[{{"name":"x","args":{values},"result":[]}}]}}"#);
    let messages = vec![message; 100].join(",");
    let document = format!(r#"{{"sessionId":"s","projectHash":"a","kind":"main","messages":[{messages}]}}"#);
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("recording.json");
    fs::write(&file, document).expect("a file");
    let ran = run_for(home.path(), &["import", file.to_str().expect("text")], Duration::from_secs(300));
    assert_eq!((ran.ended, ran.err.contains("skipped")), (Ended::Well, false), "{}", ran.err);
    assert!(String::from_utf8_lossy(&ran.out).contains(": 100 calls, 200 turns"));
}

/// Sizes are asked for before anything is read: 240 MB in parts, each of which could be.
#[test]
fn a_database_is_bounded_by_what_a_session_has_in_it() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("opencode.db");
    let database = rusqlite::Connection::open(&file).expect("a database");
    let made = "CREATE TABLE session (id, parent_id, directory, time_updated);
        CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, data);
        INSERT INTO session VALUES ('ses_1', NULL, '/w', 1), ('ses_2', NULL, '/w', 2);
        INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{\"role\":\"user\"}'), ('msg_2', 'ses_2', 1, '{\"role\":\"user\"}'),
            ('msg_3', 'ses_2', 2, '{\"role\":\"assistant\"}');
        INSERT INTO part VALUES ('prt_a', 'msg_2', '{\"type\":\"text\",\"text\":\"hi\"}'),
            ('prt_b', 'msg_3', '{\"type\":\"text\",\"text\":\"ho\"}');
        WITH RECURSIVE part_of (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM part_of WHERE n < 24)
        INSERT INTO part SELECT 'prt_' || n, 'msg_1', printf('{\"type\":\"text\",\"text\":\"%*s\"}', 10000000, 'a') FROM part_of;";
    database.execute_batch(made).expect("its tables");
    drop(database);
    let file = file.to_str().expect("text");
    let ran = run_for(home.path(), &["import", file], Duration::from_secs(300));
    assert_eq!(ran.ended, Ended::WithAnError, "{}", ran.err);
    assert!(ran.err.contains("session ses_1 is larger than 64 MB"), "{}", ran.err);
    assert!(String::from_utf8_lossy(&ran.out).contains("1 session imported"), "the other one is");
    let ran = run_for(home.path(), &["replay", file, "--report", "page.html"], Duration::from_secs(300));
    assert_eq!(ran.ended, Ended::Well, "{}", ran.err);
    assert!(ran.err.contains("session ses_1 is larger than 64 MB"), "{}", ran.err);
}

/// A table without an index is not read again for each message.
#[test]
fn a_database_of_many_messages_is_read_once() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("opencode.db");
    let database = rusqlite::Connection::open(&file).expect("a database");
    let made = "CREATE TABLE session (id, parent_id, directory, time_updated);
        CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, data);
        INSERT INTO session VALUES ('ses_1', NULL, '/w', 1);
        WITH RECURSIVE message_of (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM message_of WHERE n < 60000)
        INSERT INTO message SELECT 'msg_' || n, 'ses_1', n, '{\"role\":\"assistant\"}' FROM message_of;
        INSERT INTO part SELECT 'prt_' || id, id, '{\"type\":\"text\",\"text\":\"a\"}' FROM message;";
    database.execute_batch(made).expect("its tables");
    drop(database);
    // Read again for each, it took minutes.
    let ran = run_for(home.path(), &["import", file.to_str().expect("text")], Duration::from_secs(60));
    assert_eq!(ran.ended, Ended::Well, "{}", ran.err);
}
