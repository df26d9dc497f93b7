//! Who is asked before something runs, and what becomes of the answer.

use std::{
    fs,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{FIX, Project, newest};
use crate::{person::Person, terminal::Terminal};

const CHOICES: &str = "no, or say why not\n";

fn at_terminal(project: &Project, script: &str, arguments: &[&str]) -> Terminal {
    let model = project.script(script);
    Terminal::start(project.command(&[&["run", "--model", &model], arguments].concat()))
}

fn bash(command: &str) -> String {
    format!(
        "[[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = '''{command}''' }} }}]\n[[step]]\ntext = \"Done.\"\n"
    )
}

fn trace(project: &Project) -> String {
    project.person.run(&["show", &newest(project), "--trace", "--json"]).out
}

#[test]
fn in_mode_ask_commands_and_changes_are_shown_and_run_after_a_yes() {
    let project = Project::new();
    let mut terminal = at_terminal(&project, FIX, &["fix the ledger", "--permission", "ask"]);
    terminal.answer("$ sh check.sh\n [y] yes, once · [a] always: exactly this, in this project", "y");
    terminal.answer("+e[0] == account\n [y] yes, once · [a] always: changes of this file", "yes");
    terminal.answer(CHOICES, "y");
    let (code, out, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(out.starts_with("balance() compared by prefix"), "{out}");
    assert!(project.read("src/ledger.py").contains("e[0] == account"));
    let trace = trace(&project);
    assert_eq!(trace.matches(r#""decision":"once","by":"person""#).count(), 3, "{trace}");
    assert!(trace.contains(r#""what":"src/ledger.py","reason":"changes ask first with --permission ask""#), "{trace}");
}

#[test]
fn a_no_goes_to_the_model_with_its_reason() {
    let project = Project::new();
    let mut terminal = at_terminal(&project, &bash("rm -r src"), &["clean up"]);
    terminal.answer(CHOICES, "that is all we have");
    let (code, _, seen) = terminal.end();
    assert_eq!(code, Some(4), "{seen}");
    assert!(project.path().join("src/ledger.py").exists());
    let trace = trace(&project);
    assert!(trace.contains("the person said no: that is all we have"), "{trace}");
    assert!(trace.contains(r#""decision":"denied","by":"person""#), "{trace}");
}

#[test]
fn always_is_kept_outside_the_project_and_covers_every_part_or_nothing() {
    let project = Project::new();
    let mut terminal = at_terminal(&project, &bash("ls src | wc -l"), &["look", "--permission", "ask"]);
    terminal.answer(CHOICES, "a");
    assert_eq!(terminal.end().0, Some(0));
    // Its parts in another order, and then what goes with none of them. Nobody is here now.
    let said = project.run(&bash("ls src && ls src"), &["look", "--permission", "ask"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(trace(&project).contains("a decision that was remembered"), "{}", trace(&project));
    for command in ["ls src | wc -c", "ls src && touch x", "ls $(echo src)", "ls src > x", "ls src; ls"] {
        let said = project.run(&bash(command), &["look", "--permission", "ask"]);
        assert_eq!(said.code, Some(4), "{command}: {}", said.err);
    }
    let here = fs::read_dir(project.path()).expect("a folder").flatten().map(|entry| entry.file_name());
    assert_eq!(here.count(), 3, ".git, src, check.sh");
    let kept = fs::read_dir(project.person.home.path().join("decided")).expect("a folder");
    assert_eq!(kept.count(), 1);
}

#[test]
fn what_is_held_is_remembered_only_as_it_stands() {
    let project = Project::new();
    project.write("old/a", "1");
    project.commit();
    let mut terminal = at_terminal(&project, &bash("rm -r old"), &["clean up"]);
    terminal.answer(CHOICES, "always");
    assert_eq!(terminal.end().0, Some(0));
    project.write("old/a", "1");
    let said = project.run(&bash("cd src; rm -r old"), &["clean up"]);
    assert_eq!(said.code, Some(4), "{}", said.err);
    assert!(project.path().join("old/a").exists());
    let said = project.run(&bash("rm -r old"), &["clean up"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!project.path().join("old").exists());
}

#[test]
fn whoever_leaves_over_a_question_has_run_nothing() {
    let project = Project::new();
    let terminal = at_terminal(&project, &bash("rm -r src"), &["clean up"]);
    terminal.wait_for(CHOICES);
    let id = Pid::from_raw(i32::try_from(terminal.id()).expect("a small number")).expect("an id");
    kill_process(id, Signal::INT).expect("it is there");
    let (code, _, seen) = terminal.end();
    assert_eq!(code, Some(130), "{seen}");
    assert!(project.path().join("src/ledger.py").exists());
    assert!(!trace(&project).contains(r#""event":{"tool_call""#), "it never began");
    let resumed = Person::said(project.command(&["resume"]).output());
    assert_eq!(resumed.code, Some(4), "{}", resumed.err);
}

/// On a machine without user namespaces.
#[test]
fn where_the_sandbox_is_not_whole_commands_ask() {
    let project = Project::new();
    let model = project.script(&bash("touch made"));
    let there = |arguments: &[&str]| {
        let usual = project.command(&[]);
        let mut command = Command::new("unshare");
        let without = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
        command.args(["-Ur", "sh", "-c", without, "sh"]).arg(usual.get_program());
        command.args(["run", "--model", &model, "x"]).args(arguments);
        for (name, value) in usual.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.current_dir(project.path()).stdin(Stdio::null());
        command
    };
    let said = Person::said(there(&[]).output());
    assert!(said.err.contains("sandbox not whole"), "{}", said.err);
    assert_eq!(said.code, Some(4), "{}", said.err);
    let mut terminal = Terminal::start(there(&[]));
    terminal.answer(CHOICES, "y");
    let (code, _, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(project.path().join("made").exists(), "{seen}");
    fs::remove_file(project.path().join("made")).expect("it is there");
    let accepted = Person::said(there(&["--without-sandbox"]).output());
    assert_eq!(accepted.code, Some(0), "{}", accepted.err);
    assert!(project.path().join("made").exists(), "{}", accepted.err);
}
