//! What search finds, and in which order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use lookback_engine::trace::{EventBody, EventNo, TurnNo};
use lookback_store::{Durability::Durable, Store};
use support::{call, event, home, id, noise, result, start, user};

const NOTHING: [u64; 0] = [];

fn with_texts(texts: &[&str]) -> (tempfile::TempDir, Store) {
    let (home, store) = home();
    let mut events = vec![start("session")];
    for text in texts {
        events.push(user(events.len() as u64, text));
    }
    drop(store.create(&events).unwrap());
    (home, store)
}

/// The numbers of the events found, best first.
fn found(store: &Store, query: &str) -> Vec<u64> {
    store.search(query, None, 10).unwrap().into_iter().map(|hit| hit.seq.0).collect()
}

#[test]
fn identifiers_are_found_by_the_whole_and_by_their_parts_in_any_spelling() {
    let (_home, store) =
        with_texts(&["call get_user_name now", "call getUserName now", "class HTTPServer2:", "the name of a user"]);
    assert_eq!(found(&store, "user"), [4, 2, 1]);
    assert_eq!(found(&store, "get_user_name"), [1, 2]);
    assert_eq!(found(&store, "getUserName"), [2, 1]);
    assert_eq!(found(&store, "getusername"), [2]);
    assert_eq!(found(&store, "GETUSERNA"), [2]);
    assert_eq!(found(&store, "httpserver2"), [3]);
    assert_eq!(found(&store, "HTTPServer2"), [3]);
    assert_eq!(found(&store, "server"), [3]);
    assert_eq!(found(&store, "name user"), [4, 2, 1]);
    assert_eq!(found(&store, "user missing"), NOTHING);
}

#[test]
fn paths_are_found_whole_and_by_their_ends() {
    let (_home, store) = with_texts(&["see src/a-b/c.py line 3", "a b c", "c.py src"]);
    assert_eq!(found(&store, "src/a-b/c.py"), [1]);
    assert_eq!(found(&store, "c.py"), [3, 1]);
    assert_eq!(found(&store, "src"), [3, 1]);
}

#[test]
fn chinese_japanese_and_korean_are_found_by_two_characters_and_by_one() {
    let (_home, store) = with_texts(&["修复数据库连接的错误", "调用getUserName函数", "データベース", "한국어 검색"]);
    assert_eq!(found(&store, "数据"), [1]);
    assert_eq!(found(&store, "数据库连接"), [1]);
    assert_eq!(found(&store, "据连"), NOTHING);
    assert_eq!(found(&store, "库"), [1]);
    assert_eq!(found(&store, "错误 数据"), [1]);
    assert_eq!(found(&store, "调用getUserName"), [2]);
    assert_eq!(found(&store, "用getUserName函"), [2]);
    assert_eq!(found(&store, "函数 user"), [2]);
    assert_eq!(found(&store, "ータ"), [3]);
    assert_eq!(found(&store, "국어"), [4]);
}

#[test]
fn the_last_word_may_be_a_beginning() {
    let (_home, store) = with_texts(&["connection refused", "a connector"]);
    assert_eq!(found(&store, "connec"), [2, 1]);
    assert_eq!(found(&store, "refused connec"), [1]);
    assert_eq!(found(&store, "connec refused"), NOTHING);
}

#[test]
fn no_query_is_an_error() {
    let (_home, store) = with_texts(&["some text AND more"]);
    for query in ["", "\"", "'", "*", "()", "NEAR(", "-", "^:", "{text}", "\0", "。"] {
        let hits = store.search(query, None, 10).unwrap();
        assert_eq!(hits.len(), usize::from(query == "{text}"), "{query}");
    }
    for query in ["AND", "text:", "\"some\" text", "some-text*", "text^ AND (more)"] {
        assert_eq!(found(&store, query), [1], "{query}");
    }
    for query in ["some ".repeat(10_000), "some/text/".repeat(10_000), "中".repeat(10_000), "中a".repeat(10_000)] {
        store.search(&query, None, 10).unwrap();
    }
}

#[test]
fn literal_lines_come_first_and_then_the_newest() {
    let (_home, store) = with_texts(&["open file", "file is open", "please Open File two", "file: open"]);
    assert_eq!(found(&store, "open file"), [3, 1, 4, 2]);
}

#[test]
fn everything_that_is_said_called_printed_and_noted_is_found() {
    let (_home, store) = home();
    let span = lookback_engine::trace::event::SpanId { name: "diagnose".to_owned(), number: 3 };
    let events = [
        start("session"),
        call(1, "Bash", "{\"command\":\"cargo test\",\"nested\":[{\"path\":\"deep/below.rs\"}],\"n\":77}"),
        result(2, "first line\nsecond alpha line\n"),
        event(3, EventBody::Error { kind: "network".into(), message: "reset by peer".into() }),
        event(
            4,
            EventBody::SpanStarted { span: Box::new(span.clone()), goal: "find the leak".into(), turn: TurnNo(0) },
        ),
        event(
            5,
            EventBody::SpanEnded {
                span: Box::new(span),
                outcome: "it was a cycle".into(),
                turn: TurnNo(0),
                with: None,
            },
        ),
    ];
    drop(store.create(&events).unwrap());
    assert_eq!(found(&store, "below.rs"), [1]);
    assert_eq!(found(&store, "bash"), [1]);
    assert_eq!(found(&store, "77"), NOTHING);
    assert_eq!(found(&store, "peer"), [3]);
    assert_eq!(found(&store, "leak"), [4]);
    assert_eq!(found(&store, "diagnose#3"), [5, 4]);
    let hit = store.search("ALPHA", None, 1).unwrap().remove(0);
    assert_eq!((hit.turn, hit.kind, hit.line_number), (Some(TurnNo(2)), "tool_result", 2));
    assert_eq!(hit.line, "second alpha line");
}

#[test]
fn a_line_deep_in_a_large_output_is_found_with_its_number() {
    let (_home, store) = home();
    let mut text = "just filling\n".repeat(300_000);
    text.push_str("here is the needle\n");
    drop(store.create(&[start("session"), result(1, text)]).unwrap());
    let hit = store.search("the needle", None, 5).unwrap().remove(0);
    assert_eq!((hit.line.as_str(), hit.line_number), ("here is the needle", 300_001));
    assert_eq!(store.search("filling", None, 5).unwrap().len(), 1);
}

#[test]
fn common_words_give_the_newest_events() {
    let (_home, store) = home();
    let mut events = vec![start("session")];
    for number in 1..500 {
        events.push(user(number, &format!("the common word {}", noise(300, number))));
    }
    drop(store.create(&events).unwrap());
    assert_eq!(found(&store, "common"), [499, 498, 497, 496, 495, 494, 493, 492, 491, 490]);
}

#[test]
fn a_session_is_searched_alone_and_a_fork_with_what_it_shares() {
    let (_home, store) = home();
    let mut parent = store.create(&[start("parent"), user(1, "shared word"), user(2, "late word")]).unwrap();
    let mut child = store.create_fork(&id("child"), &id("parent"), EventNo(1)).unwrap();
    child.append(&[user(2, "own word")], Durable).unwrap();
    parent.append(&[user(3, "last word")], Durable).unwrap();
    let lines = |session: &str| {
        let hits = store.search("word", Some(&id(session)), 10).unwrap();
        hits.into_iter().map(|hit| (hit.session.0, hit.line)).collect::<Vec<_>>()
    };
    let named = |session: &str, lines: &[&str]| {
        lines.iter().map(|line| (session.to_owned(), (*line).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(lines("child"), named("child", &["own word", "shared word"]));
    assert_eq!(lines("parent"), named("parent", &["last word", "late word", "shared word"]));
    assert_eq!(found(&store, "word").len(), 4);
}

#[test]
fn a_literal_line_among_the_newest_hundred_comes_first_however_large_the_others_are() {
    let (_home, store) = home();
    let mut events = vec![start("session"), user(1, "alpha beta, but too long ago")];
    events.push(user(2, "here is alpha beta itself"));
    for number in 3..102 {
        events.push(result(number, format!("beta then alpha\n{}", noise(9000, number))));
    }
    drop(store.create(&events).unwrap());
    assert_eq!(found(&store, "alpha beta")[..4], [2, 101, 100, 99]);
    assert_eq!(found(&store, "ALPHA Beta")[0], 2);
}

#[test]
fn words_next_to_one_another_are_no_better_than_others_if_they_are_not_the_query_itself() {
    let (_home, store) = home();
    let mut events = vec![start("session")];
    for number in 1..30 {
        events.push(user(number, if number < 15 { "alpha, beta" } else { "beta and alpha" }));
    }
    drop(store.create(&events).unwrap());
    assert_eq!(found(&store, "alpha beta"), [29, 28, 27, 26, 25, 24, 23, 22, 21, 20]);
}

#[test]
fn a_path_is_found_where_it_is_written_as_one() {
    let (_home, store) = with_texts(&[
        "crates/test/src/test/test.rs:12: error",
        "crates/test/src/value/test.rs and crates/value/src/test/test.rs",
        "./crates/test/src/test/test.rs, and (a/Crates/Test/src/test/TEST.rs)",
        "crates test src test test rs",
        "grep crates/test/src/test/test.rs-13-context",
        "crates\\other\\lib.rs",
    ]);
    assert_eq!(found(&store, "crates/test/src/test/test.rs"), [5, 3, 1]);
    assert_eq!(found(&store, "/src/test/test.rs"), [5, 3, 2, 1]);
    assert_eq!(found(&store, "test/src"), [5, 3, 2, 1]);
    assert_eq!(found(&store, "crates/test/src/val"), [2]);
    assert_eq!(found(&store, "error src/test/test.rs"), [1]);
    assert_eq!(found(&store, "src/test/test.rs:12"), [1]);
    // Nowhere with slashes, so the words will do.
    assert_eq!(found(&store, "crates/other/lib.rs"), [6]);
    assert_eq!(found(&store, "test/rs"), [5, 4, 3, 2, 1]);
}

#[test]
fn a_session_is_not_confused_with_the_numbers_and_paths_that_others_print() {
    let (_home, store) = home();
    drop(store.create(&[start("first"), user(1, "word 1 2 3 /1 /2 1/2")]).unwrap());
    drop(store.create(&[start("second"), user(1, "word of the second")]).unwrap());
    for (session, line) in [("first", "word 1 2 3 /1 /2 1/2"), ("second", "word of the second")] {
        let hits = store.search("word", Some(&id(session)), 10).unwrap();
        assert_eq!(hits.into_iter().map(|hit| hit.line).collect::<Vec<_>>(), [line]);
    }
}

#[test]
fn sessions_that_were_written_at_the_same_time_are_kept_apart() {
    let (_home, store) = home();
    let mut one = store.create(&[start("one")]).unwrap();
    let mut other = store.create(&[start("other")]).unwrap();
    for number in 1..6 {
        one.append(&[user(number, &format!("word one {number}"))], Durable).unwrap();
        other.append(&[user(number, &format!("word other {number}"))], Durable).unwrap();
    }
    for (session, middle) in [("one", "one 3"), ("other", "other 3")] {
        let hits = store.search("word", Some(&id(session)), 10).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), [5, 4, 3, 2, 1]);
        assert!(hits.iter().all(|hit| hit.session == id(session)));
        assert!(hits[2].line.contains(middle), "{hits:?}");
    }
}

#[test]
fn a_part_that_lies_in_two_chunks_is_read_whole() {
    let (_home, store) = home();
    let line = "filling of some thirty letters\n";
    let mut text = line.repeat((1 << 20) / line.len());
    text.push_str("across the border\n");
    assert!(text.len() > 1 << 20 && text.len() - 18 < 1 << 20);
    text.push_str(&line.repeat(100));
    drop(store.create(&[start("session"), result(1, text)]).unwrap());
    assert_eq!(store.search("the border", None, 5).unwrap()[0].line, "across the border");
}

#[test]
fn a_word_that_is_everywhere_is_no_beginning() {
    let (_home, store) = home();
    let mut events = vec![start("other")];
    for number in 1..20_100 {
        events.push(user(number, "some word"));
    }
    drop(store.create(&events).unwrap());
    drop(store.create(&[start("session"), user(1, "the word"), user(2, "wordy"), user(3, "a wor")]).unwrap());
    let found = |query| {
        let hits = store.search(query, Some(&id("session")), 10).unwrap();
        hits.into_iter().map(|hit| hit.line).collect::<Vec<_>>()
    };
    assert_eq!(found("word"), ["the word"]);
    assert_eq!(found("wor"), ["a wor", "wordy", "the word"]);
}
