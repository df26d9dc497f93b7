//! `lookback run` as a person runs it: real files, real commands, a script in the place of the model.

mod asked;
mod bad_days;
mod ended;
mod jobs;
mod killed;
mod long;
mod pictures;
mod planted;
mod projects;
mod real_model;
mod reread;
mod sample;
mod undone;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::person::{Person, Said};

/// A project of two files under git, and a person with a home beside it.
pub(crate) struct Project {
    pub(crate) person: Person,
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        project.write(
            "src/ledger.py",
            "def balance(entries, account):\n    return sum(e[1] for e in entries if e[0].startswith(account))\n",
        );
        project.write("check.sh", "python3 -c 'import sys; sys.path.insert(0, \"src\"); import ledger; sys.exit(ledger.balance([(\"cash\", 1), (\"cash-reserve\", 2)], \"cash\") != 1)'\n");
        project.commit();
        project
    }

    /// Without any file.
    pub(crate) fn empty() -> Self {
        Self { person: Person::new(), folder: tempfile::tempdir().expect("a folder") }
    }

    /// Everything that is there, under git.
    pub(crate) fn commit(&self) {
        let commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"];
        for arguments in [&["init", "-q"][..], &["add", "-A"], &commit] {
            let done = Command::new("git").args(arguments).current_dir(self.path()).output().expect("git");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("a file")
    }

    /// A script outside the project.
    pub(crate) fn script(&self, text: &str) -> String {
        let path = self.person.home.path().join("script.toml");
        fs::write(&path, text).expect("a file");
        format!("script:{}", path.display())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.person.command(arguments);
        command.current_dir(self.path()).env("HOME", self.person.home.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, script: &str, arguments: &[&str]) -> Said {
        let model = self.script(script);
        Person::said(self.command(&[&["run", "--model", &model], arguments].concat()).output())
    }
}

fn newest(project: &Project) -> String {
    let sessions = project.person.run(&["sessions", "--json"]).json();
    sessions[0]["id"].as_str().expect("an id").to_owned()
}

const FIX: &str = r#"
[[step]]
text = "I'll look first."
calls = [{ name = "Read", arguments = { path = "src/ledger.py" } }, { name = "Bash", arguments = { command = "sh check.sh" } }]

[[step]]
text = "startswith counts cash-reserve as cash."
calls = [{ name = "Edit", arguments = { path = "src/ledger.py", old_string = "e[0].startswith(account)", new_string = "e[0] == account" } }]

[[step]]
calls = [{ name = "Bash", arguments = { command = "sh check.sh" } }]

[[step]]
text = "balance() compared by prefix; it is exact now."
"#;

#[test]
fn seed_d3_a_task_from_the_first_word_to_the_finished_change() {
    let project = Project::new();
    let said = project.run(FIX, &["fix the ledger"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.starts_with("balance() compared by prefix; it is exact now."), "{}", said.out);
    assert!(project.read("src/ledger.py").contains("e[0] == account"));
    for line in [" Read      src/ledger.py", "exit 1", "+1 −1", "exit 0", "4 calls · $"] {
        assert!(said.err.contains(line), "{line}: {}", said.err);
    }
    let sessions = project.person.run(&["sessions", "--json"]).json();
    assert_eq!((&sessions[0]["agent"], &sessions[0]["calls"]), (&"lookback".into(), &4.into()), "{sessions}");
    let board = project.person.run(&["show", sessions[0]["id"].as_str().expect("an id"), "--board", "--json"]).json();
    assert_eq!(board["files"]["changed"], serde_json::json!(["src/ledger.py"]));
}

#[test]
fn without_a_model_five_lines_say_what_to_set() {
    let project = Project::new();
    let mut command = project.command(&["run", "fix it"]);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        command.env_remove(key);
    }
    let said = Person::said(command.output());
    assert_eq!((said.code, said.err.lines().count()), (Some(1), 5), "{}", said.err);
    assert!(said.err.contains("script:FILE"), "{}", said.err);
    let mut command = project.command(&["run", "--model", "anthropic/claude-sonnet-5", "fix it"]);
    for key in ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] {
        command.env_remove(key);
    }
    let said = Person::said(command.output());
    assert_eq!((said.code, said.err.lines().count()), (Some(1), 5), "{}", said.err);
    assert!(said.err.contains("ANTHROPIC_API_KEY") && said.err.contains("script:FILE"), "{}", said.err);
}

#[test]
fn limits_end_a_run_before_they_are_exceeded() {
    let project = Project::new();
    let said = project.run(FIX, &["fix the ledger", "--max-steps", "2"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("stopped after 2 steps (--max-steps); go on with `lookback resume "), "{}", said.err);
    let said = project.run(FIX, &["fix the ledger", "--max-cost", "0.0001"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("0 calls"), "nothing was sent: {}", said.err);
    let usage = project.run(FIX, &["fix", "--max-cost", "-1"]);
    assert_eq!(usage.code, Some(2));
}

#[test]
fn what_cannot_be_taken_back_is_held() {
    let project = Project::new();
    let script = "[[step]]\ncalls = [{ name = \"Bash\", arguments = { command = \"rm -r src\" } }]\n[[step]]\ntext = \"I may not.\"\n";
    let said = project.run(script, &["clean up"]);
    assert_eq!(said.code, Some(4), "{}", said.err);
    assert!(said.err.contains("not permitted: rm -r cannot be taken back"), "{}", said.err);
    assert!(project.path().join("src/ledger.py").exists());
    let said = project.run(script, &["clean up", "--allow", "rm -r src"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!project.path().join("src").exists());
    // And even that can be undone.
    let said = Person::said(project.command(&["undo", "--yes"]).output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(project.path().join("src/ledger.py").exists());
}

#[test]
fn changes_are_undone_after_a_look_unless_somebody_else_changed_them_since() {
    let project = Project::new();
    let before = project.read("src/ledger.py");
    project.run(FIX, &["fix the ledger"]);
    let looked = Person::said(project.command(&["undo"]).output());
    assert!(looked.err.contains("--yes puts these files back"), "{}", looked.err);
    assert!(
        looked.out.contains("src/ledger.py changes back")
            && looked.out.contains("+    return sum(e[1] for e in entries if e[0].startswith(account))"),
        "{}",
        looked.out
    );
    assert_ne!(project.read("src/ledger.py"), before);
    let fixed = project.read("src/ledger.py");
    project.write("src/ledger.py", "mine\n");
    let refused = Person::said(project.command(&["undo", "--yes"]).output());
    assert!(refused.err.contains("somebody else has changed src/ledger.py"), "{}", refused.err);
    project.write("src/ledger.py", fixed);
    let undone = Person::said(project.command(&["undo", "--yes"]).output());
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert_eq!(project.read("src/ledger.py"), before);
    let again = Person::said(project.command(&["undo", "--yes"]).output());
    assert!(again.err.contains("there is nothing to undo"), "{}", again.err);
}

#[test]
fn programs_get_every_event_and_one_object_at_the_end() {
    let project = Project::new();
    let said = project.run(FIX, &["fix the ledger", "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let (events, last) = said.out.trim_end().rsplit_once('\n').expect("lines");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!((&last["type"], &last["ended"]), (&"run_ended".into(), &"done".into()), "{last}");
    assert_eq!(last["files_changed"], serde_json::json!(["src/ledger.py"]));
    assert!(last["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0), "{last}");
    let shown = project.person.run(&["show", last["session"].as_str().expect("an id"), "--trace", "--json"]).out;
    assert_eq!(shown.trim_end(), events);
    let elsewhere = Person::new();
    let imported = elsewhere.import(format!("{events}\n"));
    assert_eq!(imported.code, Some(0), "{}", imported.err);
}

#[test]
fn a_session_goes_on_by_its_name_or_as_the_newest_one_here() {
    let project = Project::new();
    let said = project.run(FIX, &["fix the ledger", "--max-steps", "1"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    let went_on = Person::said(project.command(&["resume"]).output());
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert!(went_on.err.contains("going on with session"), "{}", went_on.err);
    // Once more without a task: its answer again. And another model is another model.
    let again = Person::said(project.command(&["resume"]).output());
    assert_eq!((again.code, again.out.as_str()), (Some(0), went_on.out.as_str()), "{}", again.err);
    let other = project.person.home.path().join("other.toml");
    fs::write(&other, FIX.replace("it is exact now", "it is exact")).expect("a file");
    let model = format!("script:{}", other.display());
    let asked = Person::said(project.command(&["run", "--continue", "--model", &model, "say it again"]).output());
    assert!(asked.err.contains("other.toml"), "{}", asked.err);
    assert!(project.read("src/ledger.py").contains("e[0] == account"));
    assert_eq!(project.person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn standard_input_is_the_task() {
    let project = Project::new();
    let model = project.script("[[step]]\ntext = \"Yes.\"\n");
    let mut child = project
        .command(&["run", "--model", &model])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), "say yes, please".as_bytes())
        .expect("it reads");
    let said = Person::said(child.wait_with_output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(project.person.run(&["sessions"]).out.contains("say yes, please"));
    let none = Person::said(project.command(&["run", "--model", &model]).output());
    assert!(none.err.contains("no task: lookback run"), "{}", none.err);
}

#[test]
fn the_same_call_with_the_same_result_is_said_once_and_then_ends_the_run() {
    let project = Project::new();
    let script = "[[step]]\ncalls = [{ name = \"Read\", arguments = { path = \"no-such-file\" } }]\nrepeat = 10\n[[step]]\ntext = \"never\"\n";
    let said = project.run(script, &["go round"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains("the same Read call gave the same result again and again"), "{}", said.err);
    assert!(said.err.contains("4 calls"), "{}", said.err);
}

#[test]
fn an_answer_of_equal_calls_is_told_before_the_run_ends() {
    let project = Project::new();
    let call = "{ name = \"Read\", arguments = { path = \"no-such-file\" } }";
    let script = format!("[[step]]\ncalls = [{}]\n[[step]]\ntext = \"I see.\"\n", [call; 5].join(", "));
    let said = project.run(&script, &["go round"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "I see.\n"), "{}", said.err);
}

#[test]
fn a_session_goes_on_in_its_own_project() {
    let (project, other) = (Project::new(), Project::new());
    project.run(FIX, &["fix the ledger", "--max-steps", "1"]);
    let model = project.script(FIX);
    let mut there = project.command(&["run", "--session", &newest(&project), "--model", &model, "more"]);
    let said = Person::said(there.current_dir(other.path()).output());
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains(" works in ") && said.err.contains("go there"), "{}", said.err);
}

#[test]
fn programs_get_the_closing_object_of_a_run_that_broke() {
    let project = Project::new();
    let said = project.run("[[step]]\ncalls = [{ name = \"LS\", arguments = {} }]\n", &["x", "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let last: serde_json::Value = serde_json::from_str(said.out.lines().last().expect("lines")).expect("JSON");
    assert_eq!(
        (&last["type"], &last["ended"], &last["usage"]["calls"]),
        (&"run_ended".into(), &"error".into(), &1.into())
    );
}

/// What is not taken is said, and every result says where its tool was called and with what.
#[test]
fn fields_that_no_board_has_are_said_to_the_model() {
    let project = Project::new();
    let said = project.run(
        r#"
[[step]]
calls = [
    { name = "Board", arguments = '''{"now": {"pointer": "user#1", "text": "x"}, "mood": "good"}''' },
    { name = "TodoWrite", arguments = { todos = [{ content = "look", status = "pending" }] } },
    { name = "Frobnicate", arguments = { far = 3 } },
]

[[step]]
text = "Done."
"#,
        &["x"],
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    let trace = project.person.run(&["show", &newest(&project), "--trace", "--json"]).out;
    let results: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an event"))
        .filter_map(|event| Some(event["event"].get("tool_result")?["result"].clone()))
        .collect();
    assert!(results[0].to_string().contains("unknown and not taken: mood"), "{}", results[0]);
    for (result, input) in results.iter().zip(["mood", "todos", "far"]) {
        assert!(!result["context"]["params_input"][input].is_null(), "{result}");
        assert_eq!(
            result["context"]["cwd"].as_str(),
            project.path().canonicalize().expect("a path").to_str(),
            "{result}"
        );
    }
}
