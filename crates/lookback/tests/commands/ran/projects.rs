//! What a project says of itself: its rules, its settings file, and whether the person trusts it.

use std::{fs, process::Command, thread, time::Duration};

use super::{Project, newest};
use crate::{
    person::{Person, Said},
    terminal::Terminal,
};

fn calls(calls: &[&str]) -> String {
    let steps = calls.iter().map(|call| format!("[[step]]\ncalls = [{call}]\n"));
    steps.collect::<String>() + "[[step]]\ntext = \"Done.\"\n"
}

fn read(path: &str) -> String {
    format!("{{ name = \"Read\", arguments = {{ path = \"{path}\" }} }}")
}

fn bash(command: &str) -> String {
    format!("{{ name = \"Bash\", arguments = {{ command = '''{command}''' }} }}")
}

fn trace(project: &Project) -> String {
    project.person.run(&["show", &newest(project), "--trace", "--json"]).out
}

fn resume(project: &Project) -> Said {
    Person::said(project.command(&["resume"]).output())
}

#[test]
fn nested_rules_are_named_when_a_tool_first_comes_there() {
    let project = Project::new();
    project.write("api/v1/AGENTS.md", "NEVER DO THIS");
    project.write("api/v1/a.py", "1\n");
    project.write("api/v1/deep/b.py", "1\n");
    let (a, b) = (read("api/v1/a.py"), read("api/v1/deep/b.py"));
    let said = project.run(&calls(&[&read("check.sh"), &a, &b]), &["look", "--max-steps", "3"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    let resumed = resume(&project);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let trace = trace(&project);
    assert_eq!(trace.matches("api/v1 has rules of its own in api/v1/AGENTS.md").count(), 1, "{trace}");
    assert!(!trace.contains("NEVER DO THIS"), "named, not put into the prompt");
}

#[test]
fn rules_that_change_are_noticed_at_once_and_after_a_pause() {
    let project = Project::new();
    project.write("AGENTS.md", "old rules");
    let said =
        project.run(&calls(&[&bash("echo new rules > AGENTS.md"), &read("check.sh")]), &["x", "--max-steps", "2"]);
    assert!(said.err.contains("the rules have changed: the model is told"), "{}", said.err);
    let now = trace(&project);
    assert!(now.contains(r#""kind":"rules_changed""#) && now.contains("new rules"), "{now}");
    project.write("AGENTS.md", "newest rules");
    let resumed = resume(&project);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(resumed.err.contains("the rules have changed"), "{}", resumed.err);
    let view = project.person.run(&["show", &newest(&project), "--view", "--json"]).out;
    assert!(view.contains("newest rules") && view.contains("rules have changed since you last worked"), "{view}");
}

#[test]
fn seed_c5_the_law_counts_in_any_case_and_before_the_others() {
    let project = Project::new();
    project.write("AGENTS.md", "rules of others");
    project.write("Code_Law.MD", "rules of this house");
    let said = project.run(&calls(&[]), &["x"]);
    assert!(said.err.contains("rules from Code_Law.MD"), "{}", said.err);
    let trace = trace(&project);
    assert!(trace.contains("rules of this house") && !trace.contains("rules of others"), "{trace}");
}

/// As an entry of its own: what a person wrote stays as it was.
#[test]
fn seed_c3_files_that_a_person_names_are_pointed_out_right_behind_their_words() {
    let project = Project::new();
    let settings = "[context.notes]\nmentioned_files = 1\n";
    let folder = project.person.home.path().join("lookback");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), settings).expect("a file");
    let said = project.run(&calls(&[]), &["compare @src/ledger.py with @check.sh, please"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let view = project.person.run(&["show", &newest(&project), "--view", "--provider", "anthropic"]).out;
    let (said, behind) = view.split_once("compare @src/ledger.py with @check.sh, please").expect("the person's words");
    assert!(!said.contains("The user names these files"), "{view}");
    let reminder = behind.split("Done.").next().unwrap_or_default();
    assert!(reminder.contains("- src/ledger.py") && reminder.contains("(and 1 more…)"), "{view}");
    assert!(!view.contains("def balance"), "named, not put into the prompt: {view}");
}

#[test]
fn a_megabyte_of_rules_is_cut_and_said() {
    let project = Project::new();
    project.write("CODE_LAW.md", "be brief\n".repeat(120_000));
    let said = project.run(&calls(&[]), &["x"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("CODE_LAW.md: 1054 KiB of rules, of which the first 48 are used"), "{}", said.err);
    assert!(trace(&project).contains("only its first 48 KiB of 1054 are shown here"));
}

#[test]
fn a_cloned_project_cannot_name_a_key_command_a_server_or_a_script() {
    let project = Project::new();
    let mark = project.person.home.path().join("ran");
    let hostile = format!(
        "model = \"script:evil.toml\"\npermission = \"full\"\nlanguage = \"zh\"\n[providers.anthropic]\nkey_command = \"touch {}\"\nbase_url = \"http://127.0.0.1:1\"\n",
        mark.display()
    );
    project.write(".lookback.toml", hostile);
    project.write("evil.toml", calls(&[&bash("touch evil")]));
    let said = Person::said(project.command(&["run", "x"]).env_remove("ANTHROPIC_API_KEY").output());
    assert_eq!(said.code, Some(1), "{}", said.err);
    let told = "permission, providers is ignored: a project cannot set that, only your own file can";
    assert!(said.err.contains(told), "{}", said.err);
    assert!(said.err.contains("model is ignored: a project cannot bring its own script"), "{}", said.err);
    let said = Person::said(
        project
            .command(&["run", "--model", "claude-sonnet-5", "x"])
            .env("ANTHROPIC_API_KEY", "")
            .env("ANTHROPIC_AUTH_TOKEN", "")
            .output(),
    );
    assert!(said.err.contains("anthropic needs a key"), "{}", said.err);
    assert!(!mark.exists() && !project.path().join("evil").exists());
}

#[test]
fn what_is_harmless_counts_without_trust_number_by_number() {
    let project = Project::new();
    let own = project.person.home.path().join("lookback");
    fs::create_dir_all(&own).expect("a folder");
    fs::write(own.join("config.toml"), "[context.fold]\nkeep_steps = 7\n").expect("a file");
    project.write(".lookback.toml", "model = \"ollama/small\"\nlanguage = \"zh\"\n[context.window]\ntokens = 40000\n");
    let doctor = Person::said(project.command(&["doctor"]).output());
    for row in ["project's file, line 1", "fold.keep_steps = 7", "window.tokens = 40000"] {
        assert!(doctor.out.contains(row), "{row}: {}{}", doctor.out, doctor.err);
    }
    project.write(".lookback.toml", "[context.window]\ntokens = \"many\"\n");
    let said = project.run(&calls(&[]), &["x"]);
    assert!(said.err.contains(".lookback.toml, line 2"), "{}", said.err);
}

#[test]
fn what_does_not_count_is_noted_by_the_doctor_and_not_called_wrong() {
    let project = Project::new();
    project.write(".lookback.toml", "permission = \"full\"\ncompactor = \"same\"\nignore = [\"vendor/\"]\n");
    let doctor = Person::said(project.command(&["doctor", "--model", "ollama/small"]).output());
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.out, doctor.err);
    for said in ["note: ", "permission is ignored", "compactor is ignored", "vendor/"] {
        assert!(doctor.out.contains(said), "{said}: {}", doctor.out);
    }
    assert!(!doctor.out.contains("wrong:"), "{}", doctor.out);
}

#[test]
fn listings_and_searches_leave_out_what_the_project_ignores() {
    let project = Project::new();
    project.write(".lookback.toml", "ignore = [\"vendor/\", \"*.min.js\", \"a{\"]\n");
    for name in ["vendor/deep/needle.js", "web/app.min.js", "web/app.js"] {
        project.write(name, "needle\n");
    }
    let tool = |name: &str, arguments: &str| format!("{{ name = \"{name}\", arguments = {{ {arguments} }} }}");
    let script = calls(&[
        &tool("LS", "path = \".\""),
        &tool("Glob", "pattern = \"**/*.js\""),
        &tool("Grep", "pattern = \"needle\""),
        &read("vendor/deep/needle.js"),
    ]);
    let said = project.run(&script, &["look"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let recalled = |turn: u32| project.person.run(&["recall", &format!("turn#{turn}")]).out;
    assert!(!recalled(2).contains("vendor"), "{}", recalled(2));
    for turn in [4, 6] {
        let found = recalled(turn);
        assert!(found.contains("web/app.js") && !found.contains("vendor") && !found.contains("min.js"), "{found}");
    }
    assert!(recalled(8).contains("needle"), "who names it has it: {}", recalled(8));
}

#[test]
fn trust_is_asked_once_in_a_terminal_and_again_when_the_file_changes() {
    let project = Project::new();
    project.write(".lookback.toml", "compactor = \"same\"\n");
    let script = calls(&[]);
    let ignored = "compactor is ignored: you have not trusted this project with it";
    assert!(project.run(&script, &["x"]).err.contains(ignored));
    let model = project.script(&script);
    let start = || Terminal::start(project.command(&["run", "--model", &model, "x"]));
    let question = "sets compactor. Do you trust this project with that? [y/N]";
    let mut terminal = start();
    terminal.answer(question, "y");
    let (code, _, seen) = terminal.end();
    assert!(code == Some(0) && !seen.contains("ignored"), "{seen}");
    let (_, _, seen) = start().end();
    assert!(!seen.contains("trust"), "{seen}");
    assert!(!project.run(&script, &["x"]).err.contains("ignored"), "what was trusted is trusted without a terminal");
    project.write(".lookback.toml", "compactor = \"openai/other\"\n");
    assert!(project.run(&script, &["x"]).err.contains(ignored));
    let mut terminal = start();
    terminal.answer(question, "n");
    let (_, _, seen) = terminal.end();
    assert!(seen.contains(ignored), "{seen}");
    let (_, _, seen) = start().end();
    assert!(!seen.contains("Do you trust"), "{seen}");
}

#[test]
fn jobs_are_recorded_and_none_is_lost() {
    let project = Project::new();
    let job =
        |command: &str| format!("{{ name = \"Bash\", arguments = {{ command = \"{command}\", background = true }} }}");
    let wait = bash("sleep 0.5");
    let script = calls(&[&job("echo hello"), &wait, &job("sleep 60"), &wait]);
    let said = project.run(&script, &["x", "--max-steps", "2"]);
    assert!(said.err.contains("started as job-1") && !said.err.contains("killed"), "{}", said.err);
    let resumed = resume(&project);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(resumed.err.contains("started as job-2"), "{}", resumed.err);
    let trace = trace(&project);
    assert!(trace.contains(r#"{"job_ended":{"number":1,"exit_code":0,"output":{"text":"hello\n"}}}"#), "{trace}");
    assert!(trace.contains(r#"{"job_started":{"number":2,"#), "{trace}");
    assert!(trace.contains(r#"{"job_ended":{"number":2,"output""#), "{trace}");

    // One whose program dies has ended, too.
    let model = project.script(&calls(&[&job("sleep 60"), &bash("sleep 20")]));
    let mut child = project.command(&["run", "--model", &model, "x"]).spawn().expect("it starts");
    while !trace_of_newest_has(&project, "job_started") {
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let stopped = Person::said(project.command(&["resume", "--max-steps", "1"]).output());
    assert!(trace_of_newest_has(&project, r#"{"job_ended":{"number":1,"output""#), "{}", stopped.err);
}

fn trace_of_newest_has(project: &Project, what: &str) -> bool {
    let sessions = project.person.run(&["sessions", "--json"]).json();
    let Some(id) = sessions[0]["id"].as_str() else { return false };
    sessions.as_array().is_some_and(|all| all.len() > 1)
        && project.person.run(&["show", id, "--trace", "--json"]).out.contains(what)
}

#[test]
fn what_was_made_here_is_removed_and_what_is_not_is_held() {
    let project = Project::new();
    let make = bash("mkdir -p made/in && echo 1 > made/in/a && mv src made/");
    let said = project.run(&calls(&[&bash("mkdir own && echo 1 > own/a"), &bash("rm -r own"), &make]), &["x"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!project.path().join("own").exists());
    let model = project.script(&calls(&[&bash("rm -r made")]));
    let said = Person::said(project.command(&["run", "--model", &model, "x"]).output());
    assert_eq!(said.code, Some(4), "another session's: {}", said.err);
}

/// Commands cannot change them either.
#[test]
fn hooks_and_configurations_that_git_names_are_not_edited() {
    let project = Project::new();
    project.write(".husky/pre-commit", "echo hi\n");
    project.write("shared.gitconfig", "[user]\n");
    for set in [["core.hooksPath", ".husky"], ["include.path", "../shared.gitconfig"]] {
        let done = Command::new("git").arg("config").args(set).current_dir(project.path()).status().expect("git");
        assert!(done.success());
    }
    let tool = |name: &str, arguments: &str| format!("{{ name = \"{name}\", arguments = {{ {arguments} }} }}");
    let script = calls(&[
        &read(".husky/pre-commit"),
        &read("shared.gitconfig"),
        &tool("Write", "path = \".husky/post-checkout\", content = \"evil\""),
        &tool("Edit", "path = \".husky/pre-commit\", old_string = \"hi\", new_string = \"evil\""),
        &tool("Edit", "path = \"shared.gitconfig\", old_string = \"user\", new_string = \"core\""),
    ]);
    let said = project.run(&script, &["x"]);
    assert_eq!(said.err.matches("read-only for tools: git starts programs by it").count(), 3, "{}", said.err);
    assert_eq!(
        (project.read(".husky/pre-commit"), project.read("shared.gitconfig")),
        ("echo hi\n".into(), "[user]\n".into())
    );
    assert!(!project.path().join(".husky/post-checkout").exists());
}
