//! `lookback undo` touches nothing that the step did not do.

use std::{fs, process::Stdio, thread, time::Duration};

use super::Project;
use crate::person::{Person, Said};

fn bash(command: &str) -> String {
    format!(
        "[[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = '''{command}''' }} }}]\n[[step]]\ntext = \"Done.\"\n"
    )
}

fn undo(project: &Project) -> Said {
    Person::said(project.command(&["undo", "--yes"]).output())
}

#[test]
fn a_file_that_was_too_large_to_be_kept_is_never_taken_away() {
    let project = Project::new();
    project.write("big.txt", vec![b'x'; 12 << 20]);
    let said = project.run(&bash("echo gone > big.txt; echo two > small.txt"), &["x"]);
    assert!(said.err.contains("undo does not cover big.txt: larger than 10 MiB"), "{}", said.err);
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("big.txt stays"), "{}", said.err);
    assert_eq!(project.read("big.txt"), "gone\n");
    assert!(!project.path().join("small.txt").exists());
}

#[test]
fn a_file_that_grows_too_large_to_be_kept_holds_up_nothing_else() {
    let project = Project::new();
    project.write("log.txt", "short\n");
    project.run(&bash("head -c 12000000 /dev/zero > log.txt; echo two > small.txt"), &["x"]);
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("log.txt stays"), "{}", said.err);
    assert!(!project.path().join("small.txt").exists());
    assert!(fs::metadata(project.path().join("log.txt")).expect("a file").len() == 12_000_000);
}

#[test]
fn what_a_step_makes_with_rules_of_its_own_goes_with_them() {
    let project = Project::new();
    project.run(&bash("mkdir app; echo target > app/.gitignore; echo new > app/main.rs"), &["x"]);
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!project.path().join("app").exists(), "{}", said.err);
}

#[test]
fn what_other_rules_bring_to_light_was_there_before() {
    let project = Project::new();
    project.write(".gitignore", "*.db\n");
    project.write("my.db", "mine");
    thread::sleep(Duration::from_millis(100));
    project.run(&bash("echo '*.tmp' > .gitignore"), &["x"]);
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!((project.read("my.db").as_str(), project.read(".gitignore").as_str()), ("mine", "*.db\n"));
}

#[test]
fn what_a_step_hid_and_somebody_changed_since_is_foreign() {
    let project = Project::new();
    project.write("data/p", "old");
    project.run(&bash("echo 'data/' > .gitignore"), &["x"]);
    project.write("data/p", "mine");
    let said = undo(&project);
    assert!(said.err.contains("somebody else has changed data/p"), "{}", said.err);
    assert_eq!(project.read("data/p"), "mine");
}

#[test]
fn what_a_person_does_between_two_steps_is_nobodys_step() {
    let project = Project::new();
    project.run(&bash("echo 1 > x.txt"), &["x"]);
    project.write("notes.md", "mine");
    let model = project.script(&bash("ls"));
    Person::said(project.command(&["run", "--model", &model, "look"]).output());
    let session = project.person.run(&["sessions", "--json"]).json();
    let older = session.as_array().expect("a list").iter().map(|s| s["id"].as_str().expect("an id").to_owned());
    for id in older {
        Person::said(project.command(&["undo", "--yes", &id]).output());
    }
    assert_eq!(project.read("notes.md"), "mine");
    assert!(!project.path().join("x.txt").exists());
}

#[test]
fn a_step_that_was_killed_can_be_undone() {
    let project = Project::new();
    let before = project.read("src/ledger.py");
    let model = project.script(&bash("echo wrecked > src/ledger.py; sleep 20"));
    let mut child = project
        .command(&["run", "--model", &model, "x"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    while fs::read_to_string(project.path().join("src/ledger.py")).expect("a file") == before {
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("that step was cut off"), "{}", said.err);
    assert_eq!(project.read("src/ledger.py"), before);
}

#[test]
fn a_file_that_became_a_folder_comes_back() {
    let project = Project::new();
    project.run(&bash("rm src/ledger.py; mkdir src/ledger.py; echo 1 > src/ledger.py/in"), &["x"]);
    let said = undo(&project);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(project.read("src/ledger.py").starts_with("def balance"));
}

#[test]
fn rules_that_are_a_link_are_not_read_and_a_session_keeps_its_leave() {
    let project = Project::new();
    let secret = project.person.home.path().join("id_rsa");
    fs::write(&secret, "PRIVATE").expect("a file");
    std::os::unix::fs::symlink(&secret, project.path().join("AGENTS.md")).expect("a link");
    let said = project.run(&bash("echo 1 > x.txt"), &["x", "--permission", "read-only", "--max-steps", "1"]);
    assert!(!said.err.contains("rules from"), "{}", said.err);
    let resumed = Person::said(project.command(&["resume"]).output());
    assert!(!project.path().join("x.txt").exists(), "{}", resumed.err);
    let trace = project.person.run(&["show", &super::newest(&project), "--trace", "--json"]).out;
    assert!(!trace.contains("PRIVATE"));
}

#[test]
fn a_key_in_a_file_reaches_neither_the_model_nor_the_store() {
    let project = Project::new();
    project.write("env.txt", "token = sk-test-0123456789abcdef\n");
    let script = "[[step]]\ncalls = [{ name = \"Read\", arguments = { path = \"env.txt\" } }, { name = \"Grep\", arguments = { pattern = \"sk-test\", output_mode = \"content\" } }, { name = \"Bash\", arguments = { command = \"cat env.txt\" } }]\n[[step]]\ntext = \"Done.\"\n";
    let model = project.script(script);
    let mut command = project.command(&["run", "--model", &model, "--json", "look"]);
    let said = Person::said(command.env("MY_API_KEY", "sk-test-0123456789abcdef").output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.out.contains("0123456789abcdef"), "{}", said.out);
    assert!(said.out.matches("[key hidden]").count() >= 3, "{}", said.out);
}

#[test]
fn undo_writes_nothing_through_a_link_out_of_the_project() {
    let project = Project::new();
    let outside = project.person.home.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    let script = format!(
        "[[step]]\ncalls = [{{ name = \"Write\", arguments = {{ path = \"sub/authorized_keys\", content = \"evil\" }} }}]\n\
         [[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = \"rm sub/authorized_keys; rmdir sub; ln -s {} sub; echo /sub >> .gitignore\" }} }}]\n\
         [[step]]\ntext = \"x\"\n",
        outside.display()
    );
    let said = project.run(&script, &["x"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let undone = Person::said(project.command(&["undo", "--yes"]).output());
    assert_eq!(undone.code, Some(1), "{}{}", undone.out, undone.err);
    assert!(undone.err.contains("sub is a link now"), "{}", undone.err);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
}
