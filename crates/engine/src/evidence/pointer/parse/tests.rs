use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Place {
    let pointer: Pointer = text.parse().unwrap();
    assert_eq!(pointer.to_string(), text);
    assert_eq!(pointer.session, None);
    pointer.place
}

fn refused(text: &str) -> String {
    text.parse::<Pointer>().unwrap_err().to_string()
}

fn file(path: &str, lines: Option<(u32, u32)>, at: Option<u32>) -> Place {
    let lines = lines.map(|(first, last)| LineRange { first, last });
    Place::File { path: path.to_owned(), lines, at: at.map(TurnNo) }
}

#[test]
fn files() {
    assert_eq!(parsed("file:src/a.py:L40-L55"), file("src/a.py", Some((40, 55)), None));
    assert_eq!(parsed("file:src/a.py:L22"), file("src/a.py", Some((22, 22)), None));
    assert_eq!(parsed("file:src/a.py"), file("src/a.py", None, None));
    assert_eq!(parsed("file:src/a.py:L1@turn#12"), file("src/a.py", Some((1, 1)), Some(12)));
    assert_eq!(parsed("file:src/a.py@turn#0"), file("src/a.py", None, Some(0)));
    assert_eq!(parsed("file:文档/a%20b%3A%23%25%40%0A.md:L3"), file("文档/a b:#%@\n.md", Some((3, 3)), None));
    assert_eq!("file:a%c3%a9".parse::<Pointer>().unwrap().place, file("aé", None, None));
}

#[test]
fn numbered_places() {
    assert_eq!(parsed("cmd#12"), Place::Cmd { number: 12, exit: None });
    assert_eq!(parsed("cmd#12 exit=-1"), Place::Cmd { number: 12, exit: Some(-1) });
    assert_eq!(parsed("test#3"), Place::Test { number: 3, failed: None });
    let failed = Some("a.py::test[x y] ".to_owned());
    assert_eq!(parsed("test#3 failed:a.py::test[x y] "), Place::Test { number: 3, failed });
    assert_eq!(parsed("turn#41"), Place::Turn(TurnNo(41)));
    assert_eq!(parsed("user#2"), Place::User(2));
    assert_eq!(parsed("gate#1"), Place::Gate(1));
    assert_eq!(parsed("span#diagnose#3"), Place::Span(SpanId { name: "diagnose".to_owned(), number: 3 }));
}

#[test]
fn places_elsewhere() {
    let turn = Box::new(Place::Turn(TurnNo(5)));
    assert_eq!(parsed("sub#2/turn#5"), Place::Sub { number: 2, place: turn });
    let place = Box::new(file("a/b.py", Some((1, 2)), None));
    assert_eq!(parsed("sub#2/file:a/b.py:L1-L2"), Place::Sub { number: 2, place });
    let pointer: Pointer = "k3v9x2ab/turn#41".parse().unwrap();
    assert_eq!(pointer, Pointer { session: Some("k3v9x2ab".to_owned()), place: Place::Turn(TurnNo(41)) });
    for session in ["a", "abc", "K3V9X2AB", "my_run-7", "cmd", &"x".repeat(128)] {
        let pointer: Pointer = format!("{session}/file:src/a.py:L1").parse().unwrap();
        assert_eq!(pointer, Pointer { session: Some(session.to_owned()), place: file("src/a.py", Some((1, 1)), None) });
    }
    for text in [&format!("{}/turn#1", "x".repeat(129)), "/turn#1", "a.b/turn#1", "ab cd/turn#1", "src/a.py"] {
        assert!(refused(text).contains("is not a pointer"), "{text}");
    }
}

#[test]
fn a_typing_error_is_told_from_words() {
    for text in ["turn#x", "file:", "k3v9x2ab/turn#4x", "a/cmd#", "a.b/turn#1", "sub#1"] {
        assert!(Pointer::is_meant(text), "{text}");
    }
    for text in ["src/a.py", "tests/turn/a.rs", "why does a/turn#1 fail", "/turn#1", "", "return#1"] {
        assert!(!Pointer::is_meant(text), "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for text in ["", "src/a.py", "line 4", "turn 4", "commit#4", "span#3", "span##3", "sub#2", "k3v9x2ab/", "turn#"] {
        assert!(refused(text).contains("the forms are file:"), "{text}: {}", refused(text));
    }
    for text in ["cmd#12 exit=", "cmd#12 exit", "cmd#1 failed:x", "test#3 failed:", "test#3 x"] {
        assert!(refused(text).contains("does not follow"), "{text}: {}", refused(text));
    }
    for text in ["cmd#x", "cmd#-1", "turn#+1", "turn#4294967296", "cmd#1 exit=x", "turn#4 ", "user#٣"] {
        assert!(refused(text).contains("is not a number"), "{text}: {}", refused(text));
    }
    for text in ["L0", "L5-L4", "40-55", "L4-5", "", "L4-L5-L6", "L+4", "l4", "L4:L5"] {
        assert!(refused(&format!("file:a.py:{text}")).contains("are not lines"), "{text}");
    }
    for text in ["", "/etc/passwd", "../a", "a/../../b", "a b", "a%2", "a%zz", "a%FF", "a#b"] {
        assert!(refused(&format!("file:{text}")).contains("is not a path"), "{text}");
    }
    assert!(refused("file:a.py@12").contains("write @turn#12"));
    assert!(refused(&"sub#1/".repeat(100_000)).contains("more than 8"));
}

fn any_path() -> impl Strategy<Value = String> {
    proptest::collection::vec("[^/]{1,6}|[a-z:#%@ ]{1,4}", 1..4)
        .prop_map(|parts| parts.join("/"))
        .prop_filter("stays inside the root", |path| !path.split('/').any(|part| part == ".."))
}

fn any_place() -> impl Strategy<Value = Place> {
    let lines =
        (1..=u32::MAX, 0..3_u32).prop_map(|(first, more)| LineRange { first, last: first.saturating_add(more) });
    let at = proptest::option::of(any::<u32>().prop_map(TurnNo));
    let leaf = prop_oneof![
        (any_path(), proptest::option::of(lines), at).prop_map(|(path, lines, at)| Place::File { path, lines, at }),
        any::<(u32, Option<i32>)>().prop_map(|(number, exit)| Place::Cmd { number, exit }),
        (any::<u32>(), proptest::option::of("(?s).{1,20}")).prop_map(|(number, failed)| Place::Test { number, failed }),
        any::<u32>().prop_map(|turn| Place::Turn(TurnNo(turn))),
        any::<u32>().prop_map(Place::User),
        any::<u32>().prop_map(Place::Gate),
        ("(?s).{1,10}", any::<u32>()).prop_map(|(name, number)| Place::Span(SpanId { name, number })),
    ];
    leaf.prop_recursive(3, 4, 1, |inner| {
        (any::<u32>(), inner).prop_map(|(number, place)| Place::Sub { number, place: Box::new(place) })
    })
}

proptest! {
    #[test]
    fn what_is_shown_is_read_again(session in proptest::option::of("[A-Za-z0-9_-]{1,128}"), place in any_place()) {
        let pointer = Pointer { session, place };
        prop_assert_eq!(pointer.to_string().parse::<Pointer>(), Ok(pointer));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,40}|(file:|sub#1/|abcd/|test#|span#)[#/:@% L0-9a-z=]{0,20}") {
        if let Ok(pointer) = text.parse::<Pointer>() {
            prop_assert_eq!(pointer.to_string().parse::<Pointer>(), Ok(pointer));
        }
    }
}
