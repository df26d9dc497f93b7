//! Days on which a run has it hard: more output than memory, and a project that is the person's own home directory.

use std::{fs, process::Stdio, thread, time::Duration};

use super::{Project, newest};
use crate::person::Person;

/// The largest resident set of a process so far, in bytes; none where it is over.
fn most_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[test]
#[cfg(target_os = "linux")]
fn a_gigabyte_of_output_is_stored_in_part_and_never_in_memory() {
    let project = Project::new();
    let model = project.script(
        "[[step]]\ncalls = [{ name = \"Bash\", arguments = { command = \"echo first; yes | head -c 1G; echo last\" } }]\n\
         [[step]]\ntext = \"That was much.\"\n",
    );
    let mut command = project.command(&["run", "--model", &model, "print much"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() {
        most = most_memory(child.id()).unwrap_or(most);
        thread::sleep(Duration::from_millis(5));
    }
    let said = Person::said(child.wait_with_output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(most < 100 << 20, "{} MB", most >> 20);
    let file = project.person.home.path().join("recalled");
    let mut recall = project.person.command(&["recall", "cmd#1", "--session", &newest(&project)]);
    assert!(recall.stdout(fs::File::create(&file).expect("a file")).status().expect("recall").success());
    let recalled = fs::read(&file).expect("a file");
    let begins = recalled.windows(10).position(|bytes| bytes == b"first\ny\ny\n").expect("its beginning");
    let ends = recalled.windows(7).rposition(|bytes| bytes == b"y\nlast\n").expect("its end");
    assert_eq!(ends + 7 - begins, 256 << 20, "all that is kept");
}

#[test]
fn the_home_directory_as_a_project_keeps_its_keys_and_can_be_undone() {
    let project = Project::empty();
    project.write(".ssh/id", "secret key\n");
    project.write("notes.txt", "one\n");
    let script = r#"
[[step]]
calls = [
    { name = "Bash", arguments = { command = "cat .ssh/id .local/share/lookback/lookback.db; cat notes.txt; echo two >> notes.txt" } },
    { name = "Read", arguments = { path = ".ssh/id" } },
    { name = "Grep", arguments = { pattern = "secret", glob = ".*/**" } },
    { name = "Write", arguments = { path = "new.txt", content = "new\n" } },
]

[[step]]
text = "Done."
"#;
    let model = project.script(script);
    let home = project.path().join(".local/share/lookback");
    let command = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.env("HOME", project.path()).env("LOOKBACK_HOME", &home);
        Person::said(command.output())
    };
    let said = command(&["run", "--model", &model, "look around"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(project.read("notes.txt"), "one\ntwo\n", "{}", said.err);
    let recalled = command(&["recall", "turn#2"]);
    assert!(recalled.out.contains(".ssh/id is kept from all tools"), "{}", recalled.out);
    assert!(!recalled.out.contains("secret key") && recalled.out.contains("no match for secret"), "{}", recalled.out);
    let undone = command(&["undo", "--yes"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(project.read("notes.txt") == "one\n" && !project.path().join("new.txt").exists());
    assert_eq!(project.read(".ssh/id"), "secret key\n");
}

#[test]
fn a_long_output_is_recalled_from_an_offset_on() {
    let project = Project::new();
    let script = r#"
[[step]]
calls = [{ name = "Bash", arguments = { command = "seq 1 40000" } }]

[[step]]
calls = [{ name = "Recall", arguments = { pointer = "cmd#1", offset = 150000 } }]

[[step]]
text = "Seen."
"#;
    let said = project.run(script, &["count"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let recalled = project.person.run(&["recall", "turn#4", "--session", &newest(&project)]).out;
    assert!(recalled.contains("\n30000\n") && !recalled.contains("\n20000\n"), "{recalled:.300}");
    assert!(recalled.contains("offset 215536 shows what follows"), "{}", &recalled[recalled.len() - 200..]);
}
