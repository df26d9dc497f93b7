use super::*;

const SECRET: &str = "sk-ant-0123456789-abcdefghij-f3a";

#[tokio::test]
async fn a_written_key_is_described_and_never_shown() {
    let key = Key::from_file(SECRET, "config.toml");
    assert_eq!(key.value().await.unwrap(), SECRET);
    assert_eq!(key.describe(), "the key in config.toml has 32 characters, ends in …f3a");
    assert_eq!(format!("{key:?}"), "Key(the key in config.toml)");
}

#[tokio::test]
async fn nothing_of_a_short_key_is_shown() {
    assert_eq!(Key::from_file("hunter2", "config.toml").describe(), "the key in config.toml has 7 characters");
}

#[tokio::test]
async fn a_variable_is_read_when_it_is_needed() {
    // Set by cargo for every test.
    let key = Key::from_variable("CARGO_PKG_NAME");
    assert_eq!(key.value().await.unwrap(), "lookback-models");
    assert_eq!(key.describe(), "CARGO_PKG_NAME is set, 15 characters");

    let missing = Key::from_variable("LOOKBACK_TEST_NO_SUCH_KEY");
    assert_eq!(missing.resolve().await, Err(KeyError::NotSet("LOOKBACK_TEST_NO_SUCH_KEY".to_owned())));
    assert_eq!(missing.describe(), "LOOKBACK_TEST_NO_SUCH_KEY is not set");
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_refused_with_the_place() {
    for (value, character, position) in [
        ("sk-one\nsk-two", "a line break", 7),
        (" sk-one", "a space", 1),
        ("sk-\u{7}", "a control character", 4),
        ("sk-ключ", "a letter that is not ASCII", 4),
    ] {
        let error = Key::from_file(value, "config.toml").resolve().await.unwrap_err();
        let origin = "the key in config.toml".to_owned();
        assert_eq!(error, KeyError::BadCharacter { origin, character, position });
        assert!(!error.to_string().contains("sk-"), "{error}");
    }
    assert!(matches!(Key::from_file("", "config.toml").resolve().await, Err(KeyError::Empty(_))));
}

#[tokio::test]
async fn a_command_gives_its_first_line_once() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let key = Key::from_command(format!("echo run >> {}; printf '  {SECRET} \\nmore\\n'", runs.display()));
    assert_eq!(key.describe(), "the key command (echo …) has given no key yet");
    assert_eq!(key.clone().value().await.unwrap(), SECRET);
    assert_eq!(key.value().await.unwrap(), SECRET);
    assert_eq!(key.describe(), "the key command (echo …) gave 32 characters, ends in …f3a");
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\n");
}

#[tokio::test]
async fn a_failing_command_says_why_without_what_it_printed() {
    for (command, reason) in [
        (format!("echo {SECRET} >&2; exit 3"), "exit 3"),
        (format!("echo {SECRET}; exit 1"), "exit 1"),
        ("true".to_owned(), "its first line is empty"),
        ("printf '\\377\\n'".to_owned(), "what it printed is not text"),
    ] {
        let error = Key::from_command(command).resolve().await.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains(SECRET), "{error}");
    }
}
