//! A run that asks a provider over HTTP, or plays a script, is killed at random moments and taken up again, until the work is finished: nothing
//! is half-written, nothing is lost, nothing runs twice that was not asked for twice. `LOOKBACK_KILLS=200` for many.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fs::{self, File},
    process::Stdio,
    thread,
    time::Duration,
};

use serde_json::Value;

use super::Project;
use crate::{person::Person, played::Playing};

/// So many words, each of which comes by itself.
fn content(step: usize) -> String {
    format!("{step}{} ", "-".repeat(98)).repeat(40)
}

/// Steps that write a file each, and one command that leaves a trace of every time it ran.
fn script(steps: usize) -> String {
    let mut script = String::new();
    for step in 0..steps {
        let content = content(step);
        script.push_str(&format!(
            "[[step]]\ntext = \"Part {step}.\"\npiece_ms = 1\ncalls = [{{ name = \"Write\", arguments = {{ path = \"out/{step}.txt\", content = \"{content}\" }} }}, {{ name = \"Bash\", arguments = {{ command = \"echo {step} >> ran.txt\" }} }}]\n\n"
        ));
    }
    script + "[[step]]\ntext = \"All parts are there.\"\n"
}

/// Random enough, and the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[test]
fn a_killed_run_goes_on_and_nothing_is_lost_or_done_twice() {
    let kills: u32 = env::var("LOOKBACK_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let (mut dice, mut killed, mut story) = (Dice(7), 0, 0);
    while killed < kills {
        story += 1;
        killed += one_story(&mut dice, kills - killed, story);
    }
}

/// One for each API; then the script itself.
const MODELS: [&str; 3] = ["claude-sonnet-4-6", "gpt-5.6", "kimi-k2.6"];

/// One task with kills in it; gives how many.
fn one_story(dice: &mut Dice, most: u32, story: u32) -> u32 {
    const STEPS: usize = 12;
    let project = Project::new();
    let file = project.script(&script(STEPS));
    let provider = Playing::start(&project.person, &["--script", file.trim_start_matches("script:")]);
    let model = MODELS.get(story as usize % 4).copied().unwrap_or(&file);
    let (mut killed, mut first) = (0, true);
    let shown = project.person.home.path().join("shown.jsonl");
    let mut acknowledged = BTreeSet::new();
    loop {
        let arguments: &[&str] = match first {
            true => &["run", "--json", "--model", model, "write the parts"],
            false => &["run", "--json", "--continue"],
        };
        let mut command = project.command(arguments);
        command.env("LOOKBACK_BASE_URL", format!("http://{}", provider.address()));
        for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MOONSHOT_API_KEY"] {
            command.env(key, "sk-of-a-test-0123456789");
        }
        let out = File::create(&shown).expect("a file");
        let mut child = command.stdout(out).stderr(Stdio::piped()).spawn().expect("it starts");
        let is_killed = killed < most.min(6);
        if is_killed {
            thread::sleep(Duration::from_millis(30 + dice.below(1_200)));
            let _ = child.kill();
        }
        let ended = Person::said(child.wait_with_output());
        let lines = fs::read_to_string(&shown).expect("text");
        let whole = lines.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        acknowledged.extend(whole.filter(|line| line.contains("\"event\":")).map(|line| line.trim_end().to_owned()));
        // What was acknowledged is there whenever one looks.
        first = project.person.run(&["sessions", "--json"]).json().as_array().is_none_or(Vec::is_empty);
        if ended.code == Some(0) {
            break;
        }
        assert!(is_killed, "story {story}: {}", ended.err);
        killed += 1;
        for step in 0..STEPS {
            if let Ok(text) = fs::read_to_string(project.path().join(format!("out/{step}.txt"))) {
                assert_eq!(text, content(step), "story {story}: a half-written file");
            }
        }
    }
    let sessions = project.person.run(&["sessions", "--json"]).json();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions}");
    let trace = project.person.run(&["show", sessions[0]["id"].as_str().expect("an id"), "--trace", "--json"]).out;
    let stored: BTreeSet<&str> = trace.lines().collect();
    let missing = acknowledged.iter().find(|line| !stored.contains(line.as_str()));
    assert!(
        missing.is_none() && acknowledged.len() > 3 * STEPS,
        "story {story}: {missing:?} of {}",
        acknowledged.len()
    );
    let events: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // How often the model asked for each command, and how often it ran.
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for call in events.iter().flat_map(calls) {
        *asked.entry(call).or_default() += 1;
    }
    let ran = project.read("ran.txt");
    for step in 0..STEPS {
        let times = ran.lines().filter(|line| line.trim() == step.to_string()).count();
        let command = format!("echo {step} >> ran.txt");
        assert!(
            (1..=asked[&command]).contains(&times),
            "story {story}: part {step} ran {times} times, asked {asked:?}"
        );
    }
    killed
}

fn calls(event: &Value) -> Vec<String> {
    let parts =
        event["assistant_turn"]["parts"].as_array().or_else(|| event["event"]["assistant_turn"]["parts"].as_array());
    let calls = parts.into_iter().flatten().filter_map(|part| part["call"]["arguments"].as_str());
    calls.filter_map(|text| serde_json::from_str::<Value>(text).ok()?["command"].as_str().map(str::to_owned)).collect()
}

#[test]
fn two_runs_do_not_write_one_session() {
    let project = Project::new();
    let model = project.script(
        "[[step]]\ncalls = [{ name = \"Bash\", arguments = { command = \"sleep 3\" } }]\n[[step]]\ntext = \"Done.\"\n",
    );
    let mut first = project
        .command(&["run", "--model", &model, "wait"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    thread::sleep(Duration::from_millis(1_500));
    let second = Person::said(project.command(&["run", "--continue", "and me"]).output());
    assert_eq!(second.code, Some(1), "{}", second.err);
    assert!(first.wait().expect("it ends").success());
}
