//! Words of verdict: does a text say that something succeeded, that it is about files, commands or tests, which exit
//! code it states?
//!
//! Wording alone; what really happened is not known here. Where a text says both success and failure it says neither.

/// Beginnings of English words.
const SUCCESS: [&str; 6] = ["pass", "succe", "green", "works", "working", "fixed"];
const SUCCESS_WIDE: [&str; 4] = ["通过", "成功", "修复了", "已修复"];
const FAILURE: [&str; 12] =
    ["fail", "error", "not", "no", "never", "without", "cannot", "doesn", "isn", "until", "unless", "broken"];
const FAILURE_WIDE: [&str; 5] = ["失败", "未", "没", "不", "错误"];
/// What only files, commands and tests can prove.
const STATE: [&str; 14] = [
    "test", "pass", "fail", "exit", "build", "built", "compil", "succe", "file", "command", "output", "exist", "fixed",
    "ran",
];
const STATE_WIDE: [&str; 8] = ["测试", "通过", "失败", "构建", "编译", "文件", "命令", "成功"];

pub(super) fn claims_success(text: &str) -> bool {
    says(text, &SUCCESS, &SUCCESS_WIDE) && !says(text, &FAILURE, &FAILURE_WIDE)
}

pub(super) fn is_about_state(text: &str) -> bool {
    says(text, &STATE, &STATE_WIDE) || text.split_whitespace().any(is_path)
}

/// Tests as such: `test_cash` is a name.
pub(super) fn is_about_tests(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|character: char| !character.is_alphanumeric()).to_ascii_lowercase();
        ["test", "tests", "suite", "testsuite", "suites"].contains(&word.as_str())
    };
    text.split_whitespace().any(is_word) || text.contains("测试")
}

/// `exit 1`, `exit=1`, `exit code 1`, `exited with code 1`.
pub(super) fn stated_exit(text: &str) -> Option<i32> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|character: char| !(character.is_ascii_alphanumeric() || character == '-'));
    words.find(|word| word.starts_with("exit"))?;
    words
        .filter(|word| !word.is_empty())
        .take_while(|word| ["code", "with", "status", "was", "of"].contains(word) || word.parse::<i32>().is_ok())
        .find_map(|word| word.parse().ok())
}

fn says(text: &str, beginnings: &[&str], wide: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    wide.iter().any(|word| lower.contains(word))
        || lower
            .split(|character: char| !character.is_ascii_alphabetic())
            .any(|word| beginnings.iter().any(|beginning| is_form_of(word, beginning)))
}

/// Short words only as they are: "no" is not the beginning of "node".
fn is_form_of(word: &str, beginning: &str) -> bool {
    if beginning.len() <= 3 { word == beginning } else { word.starts_with(beginning) }
}

fn is_path(word: &str) -> bool {
    let word = word.trim_matches(|character: char| !(character.is_alphanumeric() || "/._-".contains(character)));
    word.contains('/') && word.len() > 2
        || word.rsplit_once('.').is_some_and(|(name, extension)| {
            !name.is_empty()
                && (1..=4).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_lowercase())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_said_plainly_or_not_at_all() {
        for text in ["pytest passes", "all 3 tests passed", "the build succeeded", "测试通过"] {
            assert!(claims_success(text), "{text}");
        }
        for text in ["1 failed, 2 passed", "it does not pass", "the parser reads JSON", "测试未通过"] {
            assert!(!claims_success(text), "{text}");
        }
    }

    #[test]
    fn some_things_only_the_world_can_say() {
        for text in ["the tests are slow", "src/ledger.py uses startswith", "ledger.py is short", "文件不存在"] {
            assert!(is_about_state(text), "{text}");
        }
        assert!(!is_about_state("prefix matching is the cause, exact comparison is simpler"));
    }

    #[test]
    fn exit_codes_are_read() {
        assert_eq!(stated_exit("exit=1"), Some(1));
        assert_eq!(stated_exit("exited with code 2, 3 failed"), Some(2));
        assert_eq!(stated_exit("exit -9"), Some(-9));
        assert_eq!(stated_exit("the exit sign, 3 failed"), None);
        assert_eq!(stated_exit("3 failed"), None);
    }
}
