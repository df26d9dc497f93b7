//! The lines of an output that say what went wrong, told by their shape alone.

use crate::{configuration::evidence::LONGEST_EXTENSION, evidence::output::without_tag, words::lists};

/// The lines that tell most: those with a place before others, in their order, at most so many of different files.
pub(super) fn error_lines(output: &str, most: usize) -> Vec<&str> {
    let lines = || {
        output.lines().map(without_tag).filter(|line| line.chars().filter(|letter| letter.is_alphabetic()).count() > 3)
    };
    let mut placed: Vec<&str> = Vec::new();
    let file = |line: &str| line.split([':', '(']).next().unwrap_or_default().to_owned();
    for line in lines().filter(|line| is_placed(line)) {
        if placed.len() < most && !placed.iter().any(|known| file(known) == file(line)) {
            placed.push(line);
        }
    }
    if !placed.is_empty() {
        return placed;
    }
    let stated = |line: &&str| lists().error_starts.begin(line) || lists().open_errors.stand_in(line);
    // A chain of causes ends with what is wrong.
    let causes = lines().skip_while(|line| !line.starts_with("Caused by")).filter(stated).last();
    causes.or_else(|| lines().find(stated)).into_iter().collect()
}

/// Whether an output says how a build ended, where its exit code does not.
pub(super) fn says_good(output: &str) -> Option<bool> {
    let bad = output.lines().any(|line| is_placed(without_tag(line)) || counts_issues(line))
        || lists().build_bad.stand_in(output)
        || output.lines().any(|line| {
            ["error:", "error[", "Error:", "fatal:"].iter().any(|start| line.trim_start().starts_with(start))
        });
    match bad {
        true => Some(false),
        false => lists().build_good.stand_in(output).then_some(true),
    }
}

/// `src/a.rs:12:3: message` or `src/a.ts(12,3): error`, and no mere warning.
fn is_placed(line: &str) -> bool {
    if let Some((before, message)) = line.split_once("): ")
        && let Some((path, at)) = before.rsplit_once('(')
        && at.split(',').all(|number| number.parse::<u32>().is_ok())
    {
        return path.rsplit('/').next().is_some_and(|name| name.contains('.'))
            && ["error", "fatal error"].iter().any(|word| message.starts_with(word));
    }
    let mut parts = line.splitn(4, ':');
    let (Some(path), Some(number), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let path = path.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_file = path.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=LONGEST_EXTENSION).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let message = parts.next().unwrap_or(rest);
    let says = message.chars().any(char::is_alphabetic) && !lists().warns.begin(message.trim_start());
    is_file && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && says
}

/// `5 issues:`, `Found 3 errors`.
fn counts_issues(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let counts = pair[0].parse::<u32>().is_ok_and(|count| count > 0);
        counts && ["issues:", "issue:", "errors", "errors.", "error", "problems", "errors:"].contains(&pair[1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_with_their_place_come_first() {
        let output = "# pkg\na.go:3:5: not enough arguments\n\thave (string)\nerror: x\nb.go:1:2: undefined: y\n";
        assert_eq!(error_lines(output, 1), ["a.go:3:5: not enough arguments"]);
        assert_eq!(error_lines("Saved\nerror: Your local changes would be overwritten by merge:\n", 2).len(), 1);
        let tagged = "[lint:go] registry.go:64:1: Default returns interface (ireturn)\n[lint:go] ERROR task failed\n";
        assert_eq!(error_lines(tagged, 1), ["registry.go:64:1: Default returns interface (ireturn)"]);
        let typescript = "src/a.ts(5,15): error TS1: x\nsrc/a.ts(9,1): error TS2: y\nnpm error code 2\n";
        assert_eq!(error_lines(typescript, 2), ["src/a.ts(5,15): error TS1: x"]);
        assert!(error_lines("all well\n12:30:01: started", 3).is_empty());
    }

    #[test]
    fn an_output_says_how_a_build_ended() {
        assert_eq!(says_good("[lint] 0 issues.\n[lint] Finished"), Some(true));
        assert_eq!(says_good("x\n[lint:go] 5 issues:\n* ireturn: 5"), Some(false));
        assert_eq!(says_good("cmd/a.go:1:2: undefined: b"), Some(false));
        assert_eq!(says_good("cmd/a.go:1:2: warning: unused"), None);
        assert_eq!(says_good("src/a.ts(5,15): error TS2305: no such member"), Some(false));
        assert_eq!(says_good("src/a.cs(5): warning CS0168: unused"), None);
        assert_eq!(says_good("npm error Lifecycle script `build` failed"), Some(false));
        assert_eq!(says_good(""), None);
    }
}
