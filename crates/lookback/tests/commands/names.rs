//! Whatever name is printed can be typed again and means the same session.

use crate::person::{Person, store_question};

#[test]
fn every_printed_name_leads_back_to_its_session() {
    let person = Person::new();
    let store = person.store();
    let ids =
        ["twin-session", "twin-session-A", "twin-session-B", "Upper_CASE_run_of_monday", "a", "ab", "0123456789ab"];
    for (seconds, id) in ids.into_iter().enumerate() {
        store_question(&store, id, &format!("about {id} itself"), seconds as i64);
    }
    let listed = person.run(&["sessions"]).out;
    for (line, id) in listed.lines().skip(1).zip(ids.iter().rev()) {
        let name = line.split_whitespace().next().expect("a name");
        assert!(id.starts_with(name), "{name} of {id}");
        assert_eq!(person.run(&["recall", &format!("{name}/user#1")]).out, format!("about {id} itself\n"));
        let shown = person.run(&["show", name]).out;
        assert!(shown.starts_with(&format!("session {name} · ")), "{shown}");
    }
    let found = person.run(&["recall", "about"]).out;
    for line in found.lines() {
        let (name, rest) = line.trim().split_once('/').expect("a pointer");
        let (_, question) = rest.split_once("about ").expect("the question");
        assert_eq!(store.find(name).expect("one session").0, question.trim_end_matches(" itself"));
    }
}

#[test]
fn a_pointer_with_a_typing_error_is_no_search_and_a_path_is_one() {
    let person = Person::new();
    store_question(&person.store(), "Some_Session", "why is src/ledger.py wrong?", 0);
    for text in ["Some_Session/turn#x", "Some_Session/cmd#", " Some/file:../a", "some.session/turn#1"] {
        let complaint = person.run(&["recall", text]).complaint();
        assert!(complaint.contains("in a pointer") || complaint.contains("is not a pointer"), "{complaint}");
    }
    assert!(person.run(&["recall", "src/ledger.py"]).out.contains("why is src/ledger.py wrong?"));
    let other = person.run(&["recall", "Some_Session/user#1", "--session", "Some_Sess"]);
    assert_eq!(other.out, "why is src/ledger.py wrong?\n");
}

#[test]
fn a_whole_id_means_itself_even_beside_a_longer_one() {
    let person = Person::new();
    let store = person.store();
    store_question(&store, "twin", "one", 0);
    store_question(&store, "twin-two", "two", 1);
    assert_eq!(person.run(&["recall", "twin/user#1"]).out, "one\n");
    let complaint = person.run(&["recall", "twin/user#1", "--session", "twin-two"]).complaint();
    assert!(complaint.contains("the pointer names session twin, --session names twin-two"), "{complaint}");
}
