//! Agents of a few lines, under the names of real ones, and what each is told.

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use crate::person::Person;

/// Posts every body to where its variable says, as Claude Code does, and ends with 7.
pub(crate) const POSTS: &str = r#"
echo "agent: $*"
rest=${ANTHROPIC_BASE_URL#http://}; authority=${rest%%/*}; prefix=${rest#"$authority"}
for body in "$BODIES"/*.json; do
  exec 3<>"/dev/tcp/${authority%:*}/${authority##*:}"
  printf 'POST %s/v1/messages HTTP/1.1\r\nhost: %s\r\nx-api-key: %s\r\nuser-agent: claude-cli/2.1\r\n' \
    "$prefix" "$authority" "$ANTHROPIC_API_KEY" >&3
  printf 'connection: close\r\ncontent-length: %d\r\n\r\n' "$(wc -c < "$body")" >&3
  cat "$body" >&3
  head -n 1 <&3 | tr -d '\r'
  cat <&3 > /dev/null
  exec 3>&-
  # What an agent does between two calls takes time; meanwhile the gateway folds.
  sleep 0.2
done
exit 7
"#;

/// What decides where an agent sends its requests.
const VARIABLES: [&str; 14] = [
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_HOST",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "OPENAI_HOST",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG_CONTENT",
    "CODEX_HOME",
    "CODEX_API_KEY",
    "LOOKBACK_LOG",
];

/// Puts an agent where this person's shell finds it.
pub(crate) fn place(person: &Person, name: &str, script: &str) {
    let folder = person.home.path().join("bin");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/bash\n{script}")).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it may run");
}

/// In the person's own folder, with nothing of whoever runs the tests.
fn settled(person: &Person, mut command: Command) -> Command {
    for name in VARIABLES {
        command.env_remove(name);
    }
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .env("PATH", format!("{}:{path}", person.home.path().join("bin").display()))
        .env("HOME", person.home.path())
        .env_remove("XDG_DATA_HOME")
        .env("XDG_CONFIG_HOME", person.home.path().join(".config"))
        .current_dir(person.home.path());
    command
}

pub(crate) fn command(person: &Person, arguments: &[&str]) -> Command {
    settled(person, person.command(arguments))
}

pub(crate) fn shell(person: &Person, script: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-c", script]);
    settled(person, command)
}

fn write(person: &Person, file: &str, text: &str) {
    let path = person.home.path().join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

const CODEX_KEY: &str = r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-made-up"}"#;
const CODEX_CHATGPT: &str = r#"{"OPENAI_API_KEY":null,"tokens":{"id_token":"made.up"}}"#;
const CODEX_OWN: &str = "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://127.0.0.1:9/v1\"\n";
const OPENCODE: &str = r#"{ // mine
  "provider": {"mine": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "http://127.0.0.1:9/v1"}}},
}"#;
const OPENCODE_LOGINS: &str = r#"{"anthropic":{"type":"api","key":"sk-made-up"},"github-copilot":{"type":"oauth"}}"#;

/// What `--for` prints, under each kind of login.
#[test]
fn the_settings_for_a_standing_gateway_are_printed_and_nothing_else() {
    let person = Person::new();
    let show = |words: &[&str]| {
        let said = Person::said(command(&person, &[&["gateway", "--for"], words].concat()).output());
        format!("$ lookback gateway --for {}\n{}{}", words.join(" "), said.out, said.err)
    };
    let mut shown: Vec<String> = ["claude", "goose", "aider"].map(|name| show(&[name])).into();
    shown.push(show(&["qwen"]));
    shown.push(show(&["codex"]));
    shown.push(show(&["codex", "--upstream", "http://127.0.0.1:9/v1"]));
    write(&person, ".codex/auth.json", CODEX_KEY);
    shown.push(show(&["codex", "--listen", "127.0.0.1:4000"]));
    write(&person, ".codex/auth.json", CODEX_CHATGPT);
    shown.push(show(&["codex"]));
    write(&person, ".codex/config.toml", CODEX_OWN);
    shown.push(show(&["codex"]));
    shown.push(show(&["codex", "--upstream", "http://127.0.0.1:9/v1"]));
    shown.push(show(&["opencode"]));
    write(&person, ".local/share/opencode/auth.json", OPENCODE_LOGINS);
    shown.push(show(&["opencode"]));
    write(&person, ".config/opencode/opencode.jsonc", OPENCODE);
    shown.push(show(&["opencode"]));
    shown.push(show(&["gemini"]));
    shown.push(show(&["pi"]));
    shown.push(show(&["emacs"]));
    let home = person.home.path().to_string_lossy().into_owned();
    insta::assert_snapshot!("gateway_for", shown.join("\n").replace(&home, "HOME"));
}

/// What `with` starts each agent with.
#[test]
fn each_agent_is_told_in_its_own_way() {
    let person = Person::new();
    let told =
        "echo \"$(basename \"$0\") $*\"; env | grep -E '_BASE_URL=|_HOST=|_API_BASE=|_CONTENT=|^NO_PROXY=' | sort";
    for name in ["claude", "codex", "opencode", "qwen", "goose", "aider"] {
        place(&person, name, told);
    }
    write(&person, ".codex/auth.json", CODEX_CHATGPT);
    write(&person, ".config/opencode/opencode.jsonc", OPENCODE);
    write(&person, ".local/share/opencode/auth.json", OPENCODE_LOGINS);
    write(&person, ".config/goose/config.yaml", "OPENAI_HOST: 'https://goose.example'\n");
    let show = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(&person, &[&["with"], words].concat());
        let said = Person::said(command.envs(variables.iter().copied()).output());
        let set: String = variables.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        format!("$ {set}lookback with {}\n{}{}", words.join(" "), said.out, said.err)
    };
    let content = r#"{"theme":"dark","provider":{"mine":{"name":"Mine"}}}"#;
    let mut shown = vec![
        show(&["claude", "-p", "hello"], &[("HTTP_PROXY", "http://127.0.0.1:8"), ("NO_PROXY", "a.example")]),
        show(&["--recall", "claude", "-p", "hello"], &[]),
        show(&["codex", "exec", "hello"], &[]),
        show(&["--recall", "codex"], &[]),
        show(&["--recall", "opencode"], &[]),
        show(&["--recall", "goose"], &[]),
        show(&["codex", "exec", "hello"], &[("CODEX_API_KEY", "sk-made-up")]),
        show(&["opencode", "run", "hello"], &[("OPENCODE_CONFIG_CONTENT", content)]),
        show(&["qwen"], &[("OPENAI_BASE_URL", "https://qwen.example/compatible-mode/v1")]),
        show(&["goose", "session"], &[]),
        show(&["aider"], &[]),
    ];
    write(&person, ".codex/config.toml", CODEX_OWN);
    shown.push(show(&["codex"], &[]));
    shown.push(show(&["codex", "-c", "model_provider=openai"], &[]));
    fs::remove_file(person.home.path().join("bin/aider")).expect("it was there");
    for name in ["aider", "qwen", "gemini", "pi", "emacs"] {
        shown.push(show(&[name], &[]));
    }
    let ports = |text: &str| {
        let mut pieces = text.split("http://127.0.0.1:");
        let first = pieces.next().unwrap_or_default().to_owned();
        let portless =
            |piece: &str| format!("http://127.0.0.1:PORT{}", piece.trim_start_matches(|c: char| c.is_ascii_digit()));
        pieces.fold(first, |text, piece| text + &portless(piece))
    };
    let home = person.home.path().to_string_lossy().into_owned();
    let shown = shown.join("\n").replace(env!("CARGO_BIN_EXE_lookback"), "LOOKBACK").replace(&home, "HOME");
    insta::assert_snapshot!("with_told", ports(&shown));
}
