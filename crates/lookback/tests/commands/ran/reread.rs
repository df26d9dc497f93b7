//! A file that is read again and again: after a fold once in full, then by the turn that showed it.

use serde_json::Value;

use super::{Project, newest};
use crate::person::Person;

#[test]
fn after_a_fold_a_file_is_shown_once_and_then_named_until_it_changes() {
    let project = Project::empty();
    let lines =
        |word: &str| (1..=40).map(|number| format!("{word} number {number} of the ledger\n")).collect::<String>();
    project.write("ledger.txt", lines("entry"));
    project.commit();
    let read = "[[step]]\ncalls = [{ name = \"Read\", arguments = { path = \"ledger.txt\", limit = 30 } }]\n\n";
    let bash = |command: &str| {
        format!("[[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = \"{command}\" }} }}]\n\n")
    };
    let before = [read, read].concat() + &(0..10).map(|step| bash(&format!("seq {step} 400"))).collect::<String>();
    let behind = [read, read].concat() + &bash("sed -i s/entry/item/ ledger.txt") + read + read;
    let script = format!("{before}{behind}[[step]]\ntext = \"It is a ledger.\"\n");
    let said = project.run(&script, &["look at the ledger", "--max-steps", "12"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    let id = newest(&project);
    assert_eq!(project.person.run(&["fold", &id]).code, Some(0));
    let said = Person::said(project.command(&["run", "--continue", "--json"]).output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    let trace = project.person.run(&["show", &id, "--trace", "--json"]).out;
    let events = trace.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let texts =
        events.filter_map(|event| Some(event["event"]["tool_result"]["result"]["text"]["text"].as_str()?.to_owned()));
    let reads: Vec<String> =
        texts.filter(|text| text.contains("ledger.txt") || text.contains(" of the ledger")).collect();
    let is_whole =
        |text: &str| text.contains("\tentry number 30 of the ledger") || text.contains("\titem number 30 of");
    let whole: Vec<bool> = reads.iter().map(|text| is_whole(text)).collect();
    assert_eq!(whole, [true, true, true, false, true, false], "{reads:#?}");
    assert!(reads[3].starts_with("ledger.txt:L1-L30 unchanged since turn#"), "{}", reads[3]);
    assert!(reads[5].contains(" · Recall file:ledger.txt:L1-L30@turn#"), "{}", reads[5]);
}
