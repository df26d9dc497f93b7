//! How runs end: what programs are told, which code a shell gets, and what is left of a session.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{FIX, Project, newest};
use crate::person::Person;

fn bash(command: &str) -> String {
    format!(
        "[[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = '''{command}''' }} }}]\n[[step]]\ntext = \"Done.\"\n"
    )
}

fn trace(project: &Project) -> String {
    project.person.run(&["show", &newest(project), "--trace", "--json"]).out
}

#[test]
fn files_changed_are_those_that_steps_really_changed() {
    let project = Project::new();
    project.write("kept.txt", "same\n");
    let command = "python3 -c 'open(\"by_program.txt\", \"w\").write(\"1\")'; echo same > kept.txt; echo x > gone; rm gone; ls > /dev/null; rm src/ledger.py";
    let said = project.run(&bash(command), &["x", "--json"]);
    let last: Value = serde_json::from_str(said.out.trim_end().lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["files_changed"], json!(["by_program.txt", "src/ledger.py"]), "{last}");
    let said = project.run(&bash("ls; cat check.sh"), &["x", "--json"]);
    let last: Value = serde_json::from_str(said.out.trim_end().lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["files_changed"], json!([]), "{last}");
    assert!(!said.err.contains("lookback undo"), "{}", said.err);
}

#[test]
fn whoever_reads_only_one_line_ends_the_run_without_a_word() {
    let project = Project::new();
    let model = project.script(FIX);
    let mut child = project
        .command(&["run", "--model", &model, "fix the ledger", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let said = Person::said(child.wait_with_output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.err.contains("stored") && !said.err.contains("error"), "{}", said.err);
    let resumed = Person::said(project.command(&["resume"]).output());
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(project.read("src/ledger.py").contains("e[0] == account"));
}

#[test]
fn the_lines_of_a_run_are_imported_from_standard_input() {
    let project = Project::new();
    let said = project.run(FIX, &["fix the ledger", "--json"]);
    let (events, _) = said.out.trim_end().rsplit_once('\n').expect("lines");
    let elsewhere = Person::new();
    let mut import =
        elsewhere.command(&["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    import.stdin.take().expect("a pipe").write_all(format!("{events}\n").as_bytes()).expect("it reads");
    assert!(import.wait().expect("it ends").success());
    assert_eq!(elsewhere.run(&["sessions", "--json"]).json()[0]["calls"], 4);
}

#[test]
fn what_makes_no_sense_is_a_usage_error_and_stores_nothing() {
    let project = Project::new();
    let script = "[[step]]\ntext = \"x\"\n";
    let unknown = project.run(script, &["x", "--tools", "Nope"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("there is no tool Nope"), "{}", unknown.err);
    let none = project.run(script, &[]);
    assert!(none.code == Some(2) && none.err.contains("no task"), "{}", none.err);
    let mut free = project.command(&["run", "--model", "ollama/small", "x", "--max-cost", "1"]);
    let free = Person::said(free.output());
    assert!(free.code == Some(2) && free.err.contains("no card has prices of small"), "{}", free.err);
    let endless = Person::said(project.command(&["run", "--model", "script:/dev/zero", "x"]).output());
    assert!(endless.err.contains("/dev/zero is no script: it has more than 64 MiB"), "{}", endless.err);
    assert_eq!(project.person.run(&["sessions", "--json"]).out, "[]\n");
}

/// Fifteen megabytes in two million lines, and the memory that docs/security.md promises.
#[test]
#[cfg(target_os = "linux")]
fn what_a_run_printed_is_imported_however_long_its_outputs_are() {
    let project = Project::new();
    let said = project.run(&bash("seq 2000000"), &["count", "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.len() > 14_000_000, "all of it is printed: {}", said.out.len());
    let file = project.person.home.path().join("lines.jsonl");
    let (events, _) = said.out.trim_end().rsplit_once('\n').expect("lines");
    fs::write(&file, format!("{events}\n")).expect("a file");
    let other = Person::new();
    let command = other.command(&["import", "-"]);
    let mut import = Command::new("bash");
    import.args(["-c", "ulimit -d 524288 && exec \"$0\" import - < \"$1\""]).arg(command.get_program()).arg(&file);
    command.get_envs().for_each(|(name, value)| {
        match value {
            Some(value) => import.env(name, value),
            None => import.env_remove(name),
        };
    });
    let import = Person::said(import.output());
    assert_eq!(import.code, Some(0), "{}", import.err);
    let recalled = other.run(&["recall", "cmd#1"]).out;
    assert!(recalled.contains("\n1999999\n2000000\n"), "{} bytes", recalled.len());
}

#[test]
fn a_script_is_billed_by_the_persons_own_card_for_its_model() {
    let project = Project::new();
    let own = project.person.home.path().join("lookback");
    std::fs::create_dir_all(&own).expect("a folder");
    let card = include_str!("../../../../../prices/local.toml").replacen("\"local*\", ", "\"mine\", ", 1);
    std::fs::write(own.join("cards.toml"), card).expect("a file");
    std::fs::write(own.join("config.toml"), "cards = [\"cards.toml\"]\n").expect("a file");
    let script = "model = \"mine\"\n[[step]]\ntext = \"x\"\n";
    let refused = project.run(script, &["x", "--max-cost", "1"]);
    assert!(refused.code == Some(2) && refused.err.contains("no card has prices"), "{}", refused.err);
    let other = project.run(&script.replace("mine", "another"), &["x", "--max-cost", "1"]);
    assert_eq!(other.code, Some(0), "{}", other.err);
}

#[test]
fn a_delta_of_unknown_fields_is_refused_with_the_reason() {
    let project = Project::new();
    project.run("[[step]]\ncalls = [{ name = \"Board\", arguments = { x = 1 } }]\n[[step]]\ntext = \"x\"\n", &["x"]);
    let trace = trace(&project);
    assert!(trace.contains("the delta says nothing that the board knows (x is not): give task, now, facts"), "{trace}");
}

#[test]
fn a_mode_that_changes_back_is_named() {
    let project = Project::new();
    fs::set_permissions(project.path().join("check.sh"), fs::Permissions::from_mode(0o644)).expect("mine");
    project.run(&bash("chmod 755 check.sh"), &["x"]);
    let said = Person::said(project.command(&["undo", "--yes"]).output());
    assert!(said.out.contains("check.sh changes back: mode 755 → 644"), "{}{}", said.out, said.err);
    let mode = fs::metadata(project.path().join("check.sh")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn what_was_kept_for_a_session_goes_with_it() {
    let project = Project::new();
    project.run(FIX, &["fix the ledger"]);
    project.run(&bash("ls"), &["look"]);
    let home = project.person.home.path();
    let count = |folder: &str| fs::read_dir(home.join(folder)).expect("a folder").count();
    assert_eq!((count("runs"), count("shadow")), (2, 1));
    let sessions = project.person.run(&["sessions", "--json"]).json();
    let ids: Vec<&str> = (0..2).map(|place| sessions[place]["id"].as_str().expect("an id")).collect();
    project.person.run(&["sessions", "rm", ids[0]]);
    assert_eq!((count("runs"), count("shadow")), (1, 1), "the other session can still be undone");
    project.person.run(&["sessions", "rm", ids[1]]);
    assert_eq!((count("runs"), count("shadow")), (0, 0));
}

#[test]
fn an_answer_that_leaves_no_room_does_not_end_the_session_for_good() {
    let project = Project::new();
    project.write(".lookback.toml", "[context.window]\ntokens = 32000\n");
    let content = "one line of many words, each a little different\\n".repeat(9_000);
    let script = format!(
        "[[step]]\ncalls = [{{ name = \"Write\", arguments = {{ path = \"big.txt\", content = \"{content}\" }} }}]\n[[step]]\ntext = \"Written.\"\n"
    );
    let said = project.run(&script, &["write it"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    // It is told twice before the run ends.
    let told = said.err.matches("it is taken out of the view, and the model is told").count();
    assert_eq!(told, 2, "{}", said.err);
    assert!(said.err.contains("they were taken out of the view; go on with `lookback resume"), "{}", said.err);
    assert!(project.read("big.txt").len() > 400_000);
    // A model that knows better goes on.
    let other = project.script("[[step]]\ntext = \"In parts, then.\"\n");
    let resumed = Person::said(project.command(&["resume", "--model", &other]).output());
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let trace = trace(&project);
    assert!(trace.contains("What its calls did has been done:\\n- Write big.txt: done"), "the model was told");
}

#[test]
fn a_pipe_to_head_is_quiet() {
    let project = Project::new();
    let model = project.script(FIX);
    let usual = project.command(&["run", "--model", &model, "fix the ledger", "--json"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$@\" | head -1", "sh"]).arg(usual.get_program()).args(usual.get_args());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let said = Person::said(shell.current_dir(project.path()).stdin(Stdio::null()).output());
    assert!(said.out.starts_with("{\"seq\":0") && said.out.lines().count() == 1, "{}", said.out);
    assert!(!said.err.contains("error") && !said.err.contains("stored"), "{}", said.err);
}

#[test]
fn what_is_stored_beside_sessions_is_nobody_elses_to_read() {
    let project = Project::new();
    project.run(&bash("echo a > a.txt"), &["x"]);
    let mut folders = vec![project.person.home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let about = fs::symlink_metadata(&entry).expect("it is there");
            // What the test itself put there.
            if !entry.ends_with("script.toml") {
                assert_eq!(about.permissions().mode() & 0o077, 0, "{}", entry.display());
            }
            folders.extend(about.is_dir().then_some(entry));
        }
    }
}
