//! What must not get through the doctor: an answer without end, and a key, however it got onto the screen.

use super::*;

#[test]
fn a_server_that_never_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let flood = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let mut head = [0; 4_096];
        let _ = stream.read(&mut head).expect("a request");
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").expect("a head");
        let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word after word\"}}]}\n\n".repeat(1_000);
        let mut sent = 0;
        // Until nobody listens any more.
        while stream.write_all(event.as_bytes()).is_ok() {
            sent += event.len();
        }
        sent
    });
    let said = Patient::new().says(&["--model", "llamacpp/coder", "--base-url", &address, "--send"]);
    insta::assert_snapshot!(closing(&said).replace(&address, "BASE"), @r"
    wrong: 127.0.0.1 sent 64 MiB and did not end its answer
    what came is kept; no model answers so: check base_url (requests go to BASE/chat/completions), or choose another model with --model
    one request was sent, and failed
    error: 1 thing must be put right
    exit 1
    ");
    assert!(flood.join().expect("a server") < 80 << 20);
}

const KEY: &str = "sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9";

/// By eight letters, in whatever form.
fn check(said: &str) {
    let bare = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "").to_lowercase();
    let (key, shown) = (bare(KEY), bare(said));
    let turned: String = key.chars().rev().collect();
    for form in [&key, &turned] {
        let runs = (0..=form.len() - 8).map(|at| &form[at..at + 8]);
        assert!(runs.into_iter().all(|run| !shown.contains(run)), "{said}");
    }
}

#[test]
fn a_server_that_repeats_the_key_in_other_forms() {
    let turned: String = KEY.chars().rev().collect();
    let spaced: String = KEY.chars().flat_map(|c| [c, ' ']).collect();
    let escaped: String = KEY.chars().map(|c| format!("&#{};", u32::from(c))).collect();
    let woven: String = KEY.chars().flat_map(|c| [c, 'q', 'z']).collect();
    let base64 = "c2stcHJvai1BYjFDZDJFZjNHaDRJajVLbDZNbjdPcDhRcjk=";
    for form in [&KEY[1..], &KEY[..KEY.len() - 1], &turned, &spaced, &escaped, &woven, base64] {
        let refusal = format!("{{\"error\":{{\"message\":\"the key {form} is not known\"}}}}");
        for (status, kind, body) in [
            ("401 Unauthorized", "application/json", refusal.clone()),
            ("500 Oops", "text/plain", format!("got {form}")),
            ("200 OK", "text/html", format!("<title>{form}</title>")),
            ("200 OK", "text/event-stream", format!("data: no JSON, {form}\n\n")),
            ("200 OK", "text/event-stream", CHAT.replace("\"ready\"", &format!("\"{form}\""))),
            ("200 OK", "text/event-stream", CHAT.replace("coder-small", form)),
        ] {
            let (address, asked) = server(status, kind, &body);
            let patient = Patient::new().with("OPENROUTER_API_KEY", KEY);
            let said = patient.says(&["--model", "openrouter/coder", "--base-url", &address, "--send"]);
            assert!(asked.join().expect("one request").contains(KEY), "it was sent");
            assert!(said.contains("[hidden"), "{said}");
            assert!(
                !said.contains("&#")
                    && !said.contains("sqzkqz")
                    && !said.contains("c2stcHJv")
                    && !said.contains("Op8Qr9"),
                "{said}"
            );
            check(&said);
        }
    }
}

#[test]
fn a_key_in_the_wrong_setting() {
    let in_file = |text: String| Patient::new().with_file(&text).says(&["--send"]);
    let flag = |name: &str, value: &str| Patient::new().says(&["--model", "llamacpp/coder", name, value, "--send"]);
    let set = |name: &str| Patient::new().with(name, KEY).says(&["--model", "llamacpp/coder"]);
    for said in [
        in_file(format!("model = \"{KEY}\"")),
        in_file(format!("model = \"openai/{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\ncompactor = \"{KEY}\"")),
        in_file(format!("model = \"{KEY}/coder\"\n[providers.{KEY}]\nbase_url = \"http://127.0.0.1:9\"")),
        in_file(format!("[providers.{KEY}]\ncard = \"vllm\"")),
        in_file(format!("[providers.{KEY}]\nkey = 7")),
        in_file(format!("[providers.\"Bearer {KEY}\"]\nzork = 7")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nca_file = \"{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nbase_url = \"{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nbase_url = \"http://127.0.0.1:9/{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nbase_url = \"https://{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\ncard = \"{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nproxy = \"{KEY}\"")),
        in_file(format!("model = \"ollama/any\"\n[providers.ollama]\nkey_env = \"{}\"", KEY.replace('-', "_"))),
        in_file(format!("cards = [\"{KEY}\"]")),
        in_file(format!("{KEY} = true")),
        in_file(format!("language = \"{KEY}\"")),
        flag("--model", KEY),
        flag("--ca-file", KEY),
        flag("--base-url", KEY),
        flag("--base-url", &format!("http://127.0.0.1:9/{KEY}/v1")),
        flag("--proxy", KEY),
        set("LOOKBACK_MODEL"),
        set("LOOKBACK_LANGUAGE"),
        set("LOOKBACK_CONFIG"),
        set("SSL_CERT_FILE"),
    ] {
        check(&said);
    }
    let patient = Patient::new();
    let run = |arguments: &[&str]| patient.person.run(arguments).err;
    for said in [
        run(&["run", "--model", KEY, "hi"]),
        run(&["run", "--model", &format!("openrouter/{KEY}"), "hi"]),
        run(&["upstream", "--model", KEY, "--script", "none"]),
        run(&["replay", "--prices", KEY]),
    ] {
        check(&said);
    }
    let said = in_file(format!("model = \"{KEY}\""));
    assert!(said.contains("no card names the model [hidden: it looks like a key]"), "{said}");
}

/// Hosts are written in small letters, and then this is no key by its shape.
#[test]
fn a_key_as_the_host() {
    let key = "Zq1CdefGhijKlmnOpqrStuv";
    for url in [format!("https://{key}"), format!("http://{key}:1/v1"), format!("https://{key}.invalid/v1")] {
        for flags in [&["--send"][..], &[]] {
            let said = Patient::new().with("OPENROUTER_API_KEY", KEY);
            let said = said.says(&[&["--model", "openrouter/coder", "--base-url", &url], flags].concat());
            assert!(said.contains("[hidden") && !said.to_lowercase().contains("zq1cdefg"), "{said}");
        }
    }
}

#[test]
fn a_model_that_is_a_key_is_not_shown_when_the_server_repeats_it() {
    let body = format!("{{\"error\":{{\"message\":\"model {KEY} not found\"}}}}");
    let (address, asked) = server("404 Not Found", "application/json", &body);
    check(&Patient::new().says(&["--model", &format!("llamacpp/{KEY}"), "--base-url", &address, "--send"]));
    asked.join().expect("one request");
}

#[test]
fn a_ca_file_lies_beside_the_settings_that_name_it() {
    let patient = Patient::new().with_file(
        "model = \"work/coder\"\n[providers.work]\nbase_url = \"https://llm.example.org/v1\"\nca_file = \"../ca.pem\"\n",
    );
    let said = patient.says(&[]);
    assert!(said.contains("XDG/lookback/../ca.pem") && said.ends_with("exit 0"), "{said}");
    let said = patient.says(&["--ca-file", "nowhere.pem"]);
    assert!(said.contains("wrong: cannot use the CA file nowhere.pem"), "a flag is of this folder: {said}");
}
