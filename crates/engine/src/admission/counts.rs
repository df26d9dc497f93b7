//! Counts of tests in a text, however they are worded: "2 failed", "2 tests failed", "failed: 2", "2/5 failed".
//!
//! Read by shape; a number without a verdict is ignored.

use crate::trace::result::TestReport;

/// Words between a count and its verdict.
const FILLERS: [&str; 25] = [
    "test", "tests", "case", "cases", "unit", "of", "out", "the", "them", "have", "has", "were", "was", "are", "is",
    "still", "now", "only", "more", "all", "total", "spec", "specs", "count", "suites",
];
/// Numbers behind these count something else.
const OTHER: [&str; 12] =
    ["line", "lines", "exit", "code", "status", "in", "after", "at", "python", "node", "version", "within"];
const WIDE: [(&str, &str); 6] = [
    ("失败", " failed "),
    ("通过", " passed "),
    ("跳过", " skipped "),
    ("个", " "),
    ("测试", " tests "),
    ("用例", " tests "),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word<'a> {
    Count(u32),
    Verdict(Verdict),
    Filler,
    /// `/` and "of" between numbers.
    Of,
    /// Separates what does not belong together.
    Break,
    Other(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
}

/// What a text states where the recogniser read another number.
pub(super) fn other_count(text: &str, report: &TestReport) -> Option<String> {
    let text = WIDE.iter().fold(text.to_lowercase(), |text, (wide, word)| text.replace(wide, word));
    let words = read(&text);
    let recorded = |verdict| match verdict {
        Verdict::Passed => report.passed,
        Verdict::Failed => report.failed,
        Verdict::Skipped => report.skipped,
    };
    let ran = report.passed + report.failed;
    (0..words.len()).find_map(|place| {
        let Word::Count(stated) = words[place] else { return None };
        let verdict = verdict_of(&words, place)?;
        let is_total = matches!(words[..place], [.., Word::Count(_), Word::Of]);
        let holds = match is_total {
            true => stated == ran || stated == ran + report.skipped,
            false => stated == recorded(verdict),
        };
        let name = match verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Skipped => "skipped",
        };
        (!holds).then(|| if is_total { format!("{stated} tests") } else { format!("{stated} {name}") })
    })
}

/// The verdict that a number belongs to: the next one or, where verdicts come first, the one before it.
fn verdict_of(words: &[Word<'_>], place: usize) -> Option<Verdict> {
    if let Some(Word::Other(before)) = place.checked_sub(1).map(|before| words[before])
        && OTHER.contains(&before)
    {
        return None;
    }
    let is_between = |word: &&Word<'_>| matches!(word, Word::Filler | Word::Of);
    let clause = words[..place].iter().rposition(|word| *word == Word::Break).map_or(0, |at| at + 1);
    let first = words[clause..].iter().find(|word| matches!(word, Word::Count(_) | Word::Verdict(_)));
    // "failed: 2, passed: 3" or "2 failed, 3 passed".
    if let Some(Word::Verdict(_)) = first {
        let mut before = words[clause..place].iter().rev().filter(|word| !is_between(word));
        return match before.next() {
            Some(Word::Verdict(verdict)) => Some(*verdict),
            _ => None,
        };
    }
    // "2 of 5 failed": both numbers belong to it.
    let is_share = matches!(words.get(place + 1), Some(Word::Of));
    let mut behind =
        words[place + 1..].iter().filter(|word| !(is_between(word) || is_share && matches!(word, Word::Count(_))));
    match behind.next() {
        Some(Word::Verdict(verdict)) => Some(*verdict),
        _ => None,
    }
}

fn read(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for piece in text.split_inclusive(|end: char| end.is_whitespace() || ",;()[]/:=".contains(end)) {
        let (word, end) = match piece.char_indices().next_back() {
            Some((at, last)) if last.is_whitespace() || ",;()[]/:=".contains(last) => (&piece[..at], last),
            _ => (piece, ' '),
        };
        let ends_sentence = word.ends_with(['.', '!']);
        let word =
            word.trim_matches(|character: char| !(character.is_ascii_alphanumeric() || "_-.".contains(character)));
        let word = word.trim_end_matches('.');
        if !word.is_empty() {
            words.push(kind(word, words.last()));
        }
        match end {
            ',' | ';' | '(' | ')' | '[' | ']' => words.push(Word::Break),
            '/' => words.push(Word::Of),
            _ if ends_sentence => words.push(Word::Break),
            _ => {}
        }
    }
    words
}

fn kind<'a>(word: &'a str, before: Option<&Word<'_>>) -> Word<'a> {
    if let Ok(count) = word.parse() {
        return Word::Count(count);
    }
    match word {
        "of" if matches!(before, Some(Word::Count(_))) => Word::Of,
        "out" if matches!(before, Some(Word::Count(_))) => Word::Filler,
        "and" | "but" => Word::Break,
        "pass" | "passes" | "passed" | "passing" | "ok" | "succeeded" | "green" => Word::Verdict(Verdict::Passed),
        "fail" | "fails" | "failed" | "failing" | "failure" | "failures" => Word::Verdict(Verdict::Failed),
        "skip" | "skipped" | "skips" | "ignored" => Word::Verdict(Verdict::Skipped),
        _ if FILLERS.contains(&word) => Word::Filler,
        _ => Word::Other(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_must_be_the_recorded_one_in_any_wording() {
        let report = TestReport { passed: 2, failed: 3, ..TestReport::default() };
        for text in [
            "2 failed",
            "2 tests failed",
            "failed: 2",
            "2/5 failed",
            "2 of 5 tests failed",
            "3 of 7 tests failed",
            "only 2 failing tests",
            "5 tests passed",
            "exit 1, 2 failures",
            "2 failed, 3 passed",
            "passed=3 failed=2",
            "2 个测试失败",
            "失败：2",
        ] {
            assert!(other_count(text, &report).is_some(), "{text}");
        }
        for text in [
            "3 failed",
            "3 failed, 2 passed in 0.83s",
            "failed: 3, passed: 2",
            "failed 3 passed 2",
            "3/5 failed",
            "3 of 5 tests failed",
            "exit 1, 3 failures",
            "exit 1",
            "fails at line 12",
            "3 个测试失败",
            "test_2 failed",
        ] {
            assert_eq!(other_count(text, &report), None, "{text}");
        }
    }
}
