//! What the doctor says, with the environment cleared: of settings, of keys, and of a server that answers or does not.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    process::Command,
    thread::{self, JoinHandle},
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

use crate::person::{Person, Said};

mod closed;

/// Somebody whose only settings are those that are given here.
struct Patient {
    person: Person,
    environment: Vec<(String, String)>,
}

impl Patient {
    /// A machine without any certificates cannot be reached by TLS, and says so: this one has a CA of its own.
    fn new() -> Self {
        let person = Person::new();
        let mut authority = CertificateParams::new(Vec::new()).expect("no names");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = authority.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate");
        fs::write(person.home.path().join("ca.pem"), certificate.pem()).expect("a file");
        let ca = person.home.path().join("ca.pem").to_string_lossy().into_owned();
        Self { person, environment: vec![("SSL_CERT_FILE".to_owned(), ca)] }
    }

    fn with_file(self, text: &str) -> Self {
        let folder = self.person.home.path().join("lookback");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("config.toml"), text).expect("a file");
        self.readable_by(0o600)
    }

    fn readable_by(self, mode: u32) -> Self {
        let file = self.person.home.path().join("lookback/config.toml");
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("a mode");
        self
    }

    fn with(mut self, variable: &str, value: &str) -> Self {
        self.environment.push((variable.to_owned(), value.to_owned()));
        self
    }

    fn run(&self, arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookback"));
        command.arg("doctor").args(arguments).env_clear().env("XDG_CONFIG_HOME", self.person.home.path());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Person::said(command.output())
    }

    /// Both streams and how it ended, without what differs from run to run.
    fn says(&self, arguments: &[&str]) -> String {
        let Said { out, err, code, .. } = self.run(arguments);
        let said = format!("{out}{err}exit {}", code.expect("it ended"));
        said.replace(&*self.person.home.path().to_string_lossy(), "XDG")
    }
}

#[test]
fn nothing_is_configured() {
    insta::assert_snapshot!("doctor_nothing", Patient::new().says(&[]));
}

#[test]
fn a_model_with_its_key() {
    let patient = Patient::new().with("ANTHROPIC_API_KEY", "sk-ant-a-key-long-enough-to-be-shown-in-part-f3a");
    insta::assert_snapshot!("doctor_claude", patient.says(&["--model", "claude-sonnet-5"]));
}

#[test]
fn a_model_without_its_key() {
    let said = Patient::new().says(&["--model", "claude-sonnet-5"]);
    insta::assert_snapshot!(said.lines().rev().take(3).collect::<Vec<_>>().join("\n"), @r"
    exit 1
    error: 1 thing must be put right
    nothing was sent: --send makes one small request
    ");
    assert!(
        said.contains("wrong: there is no key for anthropic: set ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY"),
        "{said}"
    );
}

#[test]
fn every_source_at_once() {
    let patient = Patient::new()
        .with_file(
            "model = \"claude-opus-5\"\nlanguage = \"zh\"\ncompactor = \"same\"\n\n[context.fold]\nkeep_steps = 3\n\n\
             [providers.work]\nbase_url = \"https://llm.example.org/v1\"\nkey_command = \"pass show llm\"\ncard = \"vllm\"\n\
             headers = { X-Team = \"ledger-team\" }\ntimeouts = { first_byte = \"10m\" }\n",
        )
        .with("LOOKBACK_MODEL", "work/org/coder")
        .with("HTTPS_PROXY", "http://me:password@proxy.example.org:3128");
    insta::assert_snapshot!("doctor_sources", patient.says(&[]));
}

#[test]
fn mistakes_are_said_with_their_place() {
    let wrong = Patient::new().with_file("model = \"claude-opus-5\"\n[context.fold]\nkepp_steps = 3\n");
    insta::assert_snapshot!(wrong.says(&[]), @"
    error: XDG/lookback/config.toml, line 3: context.fold.kepp_steps: `kepp_steps` is not known here: do you mean `keep_steps`?
    exit 1
    ");
    let missing = Patient::new().with("LOOKBACK_CONFIG", "/nowhere/config.toml");
    assert!(missing.says(&[]).starts_with("error: cannot read /nowhere/config.toml"), "{}", missing.says(&[]));
    let readable =
        Patient::new().with_file("[providers.openai]\nkey = \"sk-readable-by-everybody\"\n").readable_by(0o644);
    let said = readable.says(&["--model", "gpt-5.6"]);
    assert!(said.contains("wrong: XDG/lookback/config.toml holds a key and others can read it (mode 644): chmod 600"));
    assert!(!said.contains("sk-readable"), "{said}");
    let file = Patient::new().with("OPENAI_API_KEY", "sk");
    let said = file.says(&["--model", "gpt-5.6", "--ca-file", "/nowhere.pem"]);
    assert!(said.contains("wrong: cannot use the CA file /nowhere.pem"), "{said}");
    let said = Patient::new().with("SSL_CERT_FILE", "/nowhere.pem").says(&["--model", "openrouter/any"]);
    assert!(said.contains("wrong: cannot set up TLS"), "{said}");
    let compactor = Patient::new().with_file("compactor = \"gpt-5.4-mini\"").says(&["--model", "ollama/any"]);
    assert!(compactor.contains("wrong: the compactor gpt-5.4-mini: there is no key for openai"), "{compactor}");
    let unknown = Patient::new().says(&["--model", "nobody/knows-it"]);
    assert!(unknown.contains("wrong: no card names the model nobody/knows-it"), "{unknown}");
}

/// Answers one request and gives back what was asked.
fn server(status: &str, kind: &str, body: &str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        stream.write_all(answer.as_bytes()).expect("an answer");
        format!("{head}\n{}", String::from_utf8_lossy(&body))
    });
    (address, asked)
}

/// The last lines, with times left open.
fn closing(said: &str) -> String {
    let closing: Vec<&str> =
        said.lines().skip_while(|line| !line.contains("answered") && !line.contains("wrong:")).collect();
    let word = |(place, word): (usize, &str), words: &[&str]| match words.get(place + 1) {
        Some(next) if next.starts_with("ms") => "N".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &&str| {
        let words: Vec<&str> = line.split(' ').collect();
        words.iter().copied().enumerate().map(|at| word(at, &words)).collect::<Vec<_>>().join(" ")
    };
    closing.iter().map(line).collect::<Vec<_>>().join("\n")
}

const CHAT: &str = concat!(
    "data: {\"id\":\"c1\",\"model\":\"coder-small\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"ready\"}}]}\n\n",
    "data: {\"id\":\"c1\",\"model\":\"coder-small\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"id\":\"c1\",\"model\":\"coder-small\",\"choices\":[],\"usage\":{\"prompt_tokens\":1214,\"completion_tokens\":2,",
    "\"prompt_tokens_details\":{\"cached_tokens\":1200}}}\n\n",
    "data: [DONE]\n\n",
);

#[test]
fn a_server_that_answers() {
    let (address, asked) = server("200 OK", "text/event-stream", CHAT);
    let said = Patient::new().says(&["--model", "llamacpp/coder", "--base-url", &address, "--send"]);
    insta::assert_snapshot!(closing(&said), @r#"
    coder-small answered "ready", first content after N ms, all after N ms; billed: 1,214 of prompt (1,200 cached, 0 written), 2 of answer
    exit 0
    "#);
    let asked = asked.join().expect("one request");
    assert!(asked.starts_with("POST /v1/chat/completions"), "{asked}");
    let body: serde_json::Value = serde_json::from_str(asked.lines().last().expect("a body")).expect("JSON");
    assert_eq!(
        body,
        serde_json::json!({
            "model": "coder",
            "max_tokens": 16,
            "messages": [{"role": "user", "content": "Reply with the word ready."}],
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[test]
fn a_server_that_repeats_the_key() {
    let key = "sk-a-key-that-no-screen-may-show-whole-f3a";
    let echo = CHAT.replace("\"content\":\"ready\"", &format!("\"content\":\"you are {key}\""));
    let (address, asked) = server("200 OK", "text/event-stream", &echo);
    let patient = Patient::new().with("OPENROUTER_API_KEY", key);
    let said = patient.says(&["--model", "openrouter/coder", "--base-url", &address, "--send"]);
    assert!(asked.join().expect("one request").contains(key), "it was sent");
    assert!(said.contains("answered \"you are [hidden]\"") && !said.contains(key), "{said}");
}

#[test]
fn a_server_that_refuses_the_key() {
    let body = "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}";
    let (address, asked) = server("401 Unauthorized", "application/json", body);
    let key = "sk-ant-a-key-long-enough-to-be-shown-in-part-f3a";
    let patient = Patient::new().with("ANTHROPIC_API_KEY", key);
    let said = patient.says(&["--model", "claude-sonnet-5", "--base-url", &address, "--send"]);
    assert!(said.contains("wrong: ") && said.contains("invalid x-api-key") && said.ends_with("exit 1"), "{said}");
    assert!(said.contains("one request was sent, and failed"), "{said}");
    let asked = asked.join().expect("one request");
    assert!(asked.starts_with("POST /v1/messages") && asked.contains(&format!("x-api-key: {key}")), "{asked}");
    assert!(!said.contains(key));
}

#[test]
fn a_command_that_gives_no_key() {
    let (address, _) = server("200 OK", "text/event-stream", CHAT);
    let file = format!("[providers.work]\nbase_url = \"{address}\"\nkey_command = \"false\"\ncard = \"vllm\"\n");
    let said = Patient::new().with_file(&file).says(&["--model", "work/coder", "--send"]);
    assert!(said.contains("gave no key") && said.contains("nothing was sent: put this right first"), "{said}");
    assert!(!said.contains("one request was sent"), "{said}");
}

#[test]
fn a_fold_goes_by_the_numbers_of_the_file() {
    let person = Person::with_sample();
    let complaint = person.run(&["fold", "sample"]).complaint();
    assert!(complaint.contains("but the newest 5, which stay"), "{complaint}");
    fs::create_dir_all(person.home.path().join("lookback")).expect("a folder");
    fs::write(person.home.path().join("lookback/config.toml"), "[context.fold]\nkeep_steps = 0\n").expect("a file");
    let complaint = person.run(&["fold", "sample"]).complaint();
    assert!(complaint.contains("config.toml, line 2: context.fold.keep_steps is 0"), "{complaint}");
    fs::write(person.home.path().join("lookback/config.toml"), "[context.fold]\nkeep_steps = 3\n").expect("a file");
    let folded = person.run(&["fold", "sample"]).shown();
    assert!(folded.contains("3 steps behind it kept"), "{folded}");
}
