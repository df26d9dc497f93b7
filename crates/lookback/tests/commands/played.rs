//! `upstream`: a script played to whoever asks, and the examples of its page.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::person::Person;

/// The server as a person starts it. It is interrupted at the end.
pub(crate) struct Playing {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
    /// What it says when it is ready.
    greeting: String,
}

impl Playing {
    pub(crate) fn start(person: &Person, arguments: &[&str]) -> Self {
        let mut command = person.command(&["upstream"]);
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut greeting = String::new();
        for _ in 0..4 {
            out.read_line(&mut greeting).expect("a line");
        }
        let address =
            greeting.split("http://").nth(1).and_then(|rest| rest.lines().next()).expect("an address").to_owned();
        Self { child, out, address, greeting }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The whole answer, head and all.
    pub(crate) fn post(&self, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Ctrl-C, and all that it said since it was ready.
    fn interrupt(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().expect("it is there").success());
        let mut said = String::new();
        self.out.read_to_string(&mut said).expect("text");
        assert!(self.child.wait().expect("it ends").success());
        said
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The fenced examples of the page in a language.
fn examples(language: &str) -> Vec<String> {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/upstream.md")).expect("the page");
    let begin = format!("```{language}\n");
    page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn write(person: &Person, name: &str, text: &str) -> String {
    let path = person.home.path().join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("text").to_owned()
}

#[test]
fn the_page_says_what_happens() {
    let person = Person::new();
    let script = write(&person, "fix.toml", &examples("toml")[0]);
    let playing = Playing::start(&person, &["--script", &script]);
    let promised = examples("console")[0].replace("127.0.0.1:41217", &playing.address);
    let promised = promised.lines().skip(1).map(|line| line.replace("fix.toml", &script) + "\n").collect::<String>();
    assert_eq!(playing.greeting, promised);
    let request = &examples("sh")[0];
    let (address, body) = request.split_once(" -d '").expect("curl");
    let path = address.strip_prefix("curl http://127.0.0.1:41217").expect("curl");
    let answer = playing.post(path, body.trim_end().trim_end_matches('\''));
    assert!(answer.contains("event: message_stop"), "{answer}");
    let said = playing.interrupt();
    assert_eq!(said.lines().next(), examples("text")[0].lines().next());
}

#[test]
fn every_script_of_the_page_can_be_played() {
    let person = Person::new();
    let scripts = examples("toml");
    assert_eq!(scripts.len(), 3);
    for script in scripts {
        let script = write(&person, "example.toml", &script);
        let playing = Playing::start(&person, &["--script", &script, "--model", "claude-sonnet-4-6"]);
        let answer =
            playing.post("/v1/messages", r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}]}"#);
        assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 429"), "{answer}");
    }
}

#[test]
fn requests_are_said_logged_and_summed_up() {
    let person = Person::new();
    let script = write(&person, "fix.toml", "[[step]]\ntext = \"Done.\"\nfaults = [\"529\"]\n");
    let log = person.home.path().join("log.jsonl");
    let log = log.to_str().expect("text");
    let playing = Playing::start(&person, &["--script", &script, "--chunks", "odd", "--log", log]);
    let body = r#"{"model":"deepseek-chat","messages":[{"role":"user","content":"go"}]}"#;
    playing.post("/v1/chat/completions", body);
    playing.post("/v1/chat/completions", body);
    playing.post("/v1/responses", r#"{"model":"gpt-5.6","input":[]}"#);
    insta::assert_snapshot!(playing.interrupt(), @r"
    chat       step 1         529
    chat       step 1         5 tokens, 0 cached  200
    responses  -              400  Invalid 'input': empty array. Expected an array with minimum length 1.
    3 requests, 5 tokens, 0 cached (0%), 1 refused
    ");
    insta::assert_snapshot!("upstream_log", fs::read_to_string(log).expect("a log"));
}

#[test]
fn mistakes_in_a_script_are_named_with_their_place() {
    let person = Person::new();
    let script = write(&person, "fix.toml", "[[step]]\ntxet = \"Done.\"\n");
    let complaint = person.run(&["upstream", "--script", &script]).complaint();
    assert!(
        complaint.contains("fix.toml is no script") && complaint.contains("line 2: unknown field `txet`"),
        "{complaint}"
    );
    let open =
        person.run(&["upstream", "--script", &write(&person, "a.toml", ""), "--listen", "0.0.0.0:0"]).complaint();
    assert!(open.contains("listen on 127.0.0.1"), "{open}");
    let missing = person.run(&["upstream", "--script", "nowhere.toml"]).complaint();
    assert!(missing.contains("cannot read nowhere.toml"), "{missing}");
}
