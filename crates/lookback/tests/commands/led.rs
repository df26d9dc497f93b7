//! `with` and `gateway`: an agent that knows nothing of us, led through a gateway over real HTTP to a provider that plays
//! a script.

mod agents;
mod conversation;

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::{
    person::{Person, Said},
    played::Playing,
};
use agents::{POSTS, place};

/// Nobody may find it anywhere.
const KEY: &str = "sk-ant-made-up-0123456789abcdef";

/// A provider, and somebody whose agent posts a long conversation to it.
pub(crate) struct Led {
    pub(crate) person: Person,
    provider: Playing,
}

impl Led {
    fn new(steps: usize) -> Self {
        let person = Person::new();
        conversation::write(person.home.path(), steps);
        place(&person, "claude", POSTS);
        let script = person.home.path().join("script.toml");
        let provider = Playing::start(&person, &["--script", script.to_str().expect("text")]);
        Self { person, provider }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = agents::command(&self.person, arguments);
        command
            .env("ANTHROPIC_BASE_URL", format!("http://{}", self.provider.address()))
            .env("ANTHROPIC_API_KEY", KEY)
            .env("BODIES", self.person.home.path().join("bodies"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Said {
        Person::said(self.command(arguments).output())
    }
}

#[test]
fn an_agent_is_observed_and_its_session_is_one_like_any_other() {
    let led = Led::new(45);
    let said = led.run(&["with", "claude", "--fold", "it is the agent's own word"]);
    assert_eq!(said.code, Some(7), "the agent's own code: {}", said.err);
    assert!(said.out.starts_with("agent: --fold it is the agent's own word\nHTTP/1.1 200"), "{}", said.out);
    insta::assert_snapshot!(said.err);
    let sessions = led.person.run(&["sessions", "--json"]).json();
    assert_eq!((&sessions[0]["agent"], &sessions[0]["calls"]), (&"claude-code".into(), &45.into()));
    let id = sessions[0]["id"].as_str().expect("an id");
    assert!(led.person.run(&["show", id]).out.contains("Find out why the ledger is wrong"));
    assert!(led.person.run(&["show", id, "--trace"]).out.contains("claude-code"));
    let ledger = led.person.run(&["show", id, "--ledger"]).out;
    assert!(ledger.contains("first call"), "{ledger}");
    assert!(led.person.run(&["recall", "entry_7_11", "--session", id]).out.contains("turn#"));
    assert!(led.person.run(&["replay", id, "--json"]).json()["sessions"][0]["paid_usd"].as_f64().expect("paid") > 0.0);
    insta::assert_snapshot!("gateway_report", dateless(&led.person.run_in(80, &["gateway", "report"]).shown()));
    let report = led.person.run(&["gateway", "report", "--json", "--since", "1d"]).json();
    assert_eq!(report["days"][0]["client"], "claude-code");
    assert!(report["total"]["observed"]["would_have_saved_usd"].as_f64().expect("dollars") > 0.0, "{report}");
    assert_eq!(report["total"]["folded"]["saved_usd"], 0.0);
    nobody_finds_the_key(led.person.home.path());
}

#[test]
fn what_was_promised_while_observing_is_what_folding_saves() {
    let (observed, folded) = (Led::new(45), Led::new(45));
    observed.run(&["with", "claude"]);
    let said = folded.run(&["with", "--fold", "claude"]);
    assert!(said.err.contains("folding saved $"), "{}", said.err);
    let dollars = |led: &Led, of: &str, what: &str| {
        let report = led.person.run(&["gateway", "report", "--json"]).json();
        report["total"][of][what].as_f64().expect("dollars")
    };
    let paid = [dollars(&observed, "observed", "paid_usd"), dollars(&folded, "folded", "paid_usd")];
    let really = paid[0] - paid[1];
    let promised = dollars(&observed, "observed", "would_have_saved_usd");
    let told = dollars(&folded, "folded", "saved_usd");
    assert!(really > 0.0, "{paid:?}");
    assert!((promised / really - 1.0).abs() < 0.05, "promised {promised}, saved {really}");
    assert!((told / really - 1.0).abs() < 0.05, "told {told}, saved {really}");
}

#[test]
fn calls_beside_a_conversation_are_counted_where_no_conversation_came() {
    let led = Led::new(1);
    let title = serde_json::json!({"model": "claude-sonnet-4-5", "max_tokens": 100,
        "messages": [{"role": "user", "content": "Write a title for this conversation."}],
        "metadata": {"user_id": "{\"session_id\":\"5d1f\"}"}});
    fs::write(led.person.home.path().join("bodies/0001.json"), title.to_string()).expect("a file");
    let said = led.run(&["with", "claude"]);
    assert!(said.err.contains("lookback: 1 call beside a conversation, $"), "{}", said.err);
    assert!(said.err.contains(" paid; the conversation itself did not come through the gateway"), "{}", said.err);
}

/// A client that asks for no usage, and a model that nobody knows.
#[test]
fn what_nobody_billed_is_estimated_and_what_has_no_card_is_named() {
    let led = Led::new(1);
    let posts =
        [("ANTHROPIC_BASE_URL", "OPENAI_API_BASE"), ("/v1/messages", "/chat/completions"), ("claude-cli", "litellm")];
    let posts = posts.iter().fold(POSTS.to_owned(), |script, (theirs, its)| script.replace(theirs, its));
    place(&led.person, "aider", &posts);
    let script = led.person.home.path().join("openai.toml");
    fs::write(&script, "model = \"gpt-5.5\"\n[[step]]\ntext = \"It was part 7.\"\n").expect("a file");
    let provider = Playing::start(&led.person, &["--script", script.to_str().expect("text")]);
    let ask = |model: &str| {
        let body = serde_json::json!({"model": model, "stream": true,
            "messages": [{"role": "user", "content": "Find out why the ledger is wrong. ".repeat(400)}]});
        fs::write(led.person.home.path().join("bodies/0001.json"), body.to_string()).expect("a file");
        let base = format!("http://{}/v1", provider.address());
        Person::said(led.command(&["with", "aider"]).env("OPENAI_API_BASE", base).output())
    };
    let said = ask("gpt-5.5");
    assert!(said.err.contains("; 1 without reported usage, estimated by what was sent"), "{}", said.err);
    let total = &led.person.run(&["gateway", "report", "--json"]).json()["total"];
    assert_eq!(total["estimated_calls"], 1);
    let log = || fs::read_to_string(led.person.home.path().join("gateway.log")).expect("a log");
    assert!(!log().contains("no card names this model"));
    ask("made-up-model");
    assert!(
        log().contains(r#""message":"no card names this model: it is folded by the number of its calls"#),
        "{}",
        log()
    );
}

#[test]
fn a_signal_reaches_the_agent() {
    let led = Led::new(1);
    place(&led.person, "claude", "trap 'exit 5' TERM\necho ready\nwhile :; do sleep 0.05; done\n");
    let mut with =
        led.command(&["with", "claude"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut line = String::new();
    BufReader::new(with.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    assert!(Command::new("kill").args(["-TERM", &with.id().to_string()]).status().expect("kill").success());
    assert_eq!(with.wait().expect("it ends").code(), Some(5));
    place(&led.person, "claude", "kill -9 $$\n");
    assert_eq!(led.run(&["with", "claude"]).code, Some(128 + 9));
}

/// A gateway that stands until it is interrupted.
struct Standing(Child);

impl Drop for Standing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_standing_gateway_is_used_as_its_settings_say() {
    let led = Led::new(3);
    let upstream = format!("http://{}", led.provider.address());
    let mut command = led.command(&["gateway", "--listen", "127.0.0.1:0", "--upstream", &upstream]);
    let mut child = command.stdout(Stdio::piped()).env("LOOKBACK_LOG", "debug").spawn().expect("it runs");
    let mut greeting = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut greeting).expect("a line");
    let standing = Standing(child);
    let address = greeting.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address");
    let lines = led.run(&["gateway", "--for", "claude", "--listen", address, "--upstream", &upstream]).shown();
    assert_eq!(lines, format!("export ANTHROPIC_BASE_URL=http://{address}\n"));
    let script = format!("{lines}exec claude there\n");
    let mut shell = agents::shell(&led.person, &script);
    let said = shell.env("ANTHROPIC_API_KEY", KEY).env("BODIES", led.person.home.path().join("bodies")).output();
    assert!(Person::said(said).out.contains("HTTP/1.1 200"));
    assert!(Command::new("kill").args(["-INT", &standing.0.id().to_string()]).status().expect("kill").success());
    let mut standing = standing;
    assert!(standing.0.wait().expect("it ends").success());
    assert_eq!(led.person.run(&["sessions", "--json"]).json()[0]["calls"], 3);
    let log = led.person.home.path().join("gateway.log");
    assert_eq!(fs::metadata(&log).expect("a log").permissions().mode() & 0o777, 0o600);
    let log = fs::read_to_string(&log).expect("text");
    for line in log.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(event["target"].as_str().expect("a target").starts_with("lookback"), "{line}");
    }
    assert!(log.contains("\"client\":\"claude-code\""), "{log}");
    nobody_finds_the_key(led.person.home.path());
}

fn dateless(report: &str) -> String {
    let dateless = |line: &str| match line.trim_start().starts_with("20") {
        true => format!(" YYYY-MM-DD{}", &line[11..]),
        false => line.to_owned(),
    };
    report.lines().map(dateless).collect::<Vec<_>>().join("\n")
}

/// In no file, whatever is in it.
fn nobody_finds_the_key(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            nobody_finds_the_key(&path);
        } else if let Ok(bytes) = fs::read(&path) {
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{} holds the key", path.display());
        }
    }
}
