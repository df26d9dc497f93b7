//! The sentences of a text as they can be quoted, each with what changes its meaning: the words that open its list, a
//! heading or a line that negates what follows, a "Don't." behind it.
//!
//! A quotation that brings too much along costs a few words; one that brings too little can be the opposite of what was
//! said. Code and lines quoted from others are passed over.

use crate::configuration::admission::{LONG_REFUSAL, SHORT_REFUSAL, SIGNS_OF_REFUSAL};
use crate::{standing::sentences, text::one_line, words::lists};

pub(super) fn quotable(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut openings = Openings::default();
    for paragraph in paragraphs(text) {
        let led = openings.before(&paragraph);
        let sentences = split(&paragraph.text);
        for (place, sentence) in sentences.iter().enumerate() {
            let goes_on = place > 0 && begins_small(sentence) && found.last().is_some_and(|before| negates(before));
            let takes_back = (place > 0 || !paragraph.listed) && takes_back(sentence);
            match found.last_mut().filter(|_| goes_on || takes_back) {
                Some(before) => *before = format!("{before} {sentence}"),
                None => {
                    let led = led.as_ref().filter(|led| place == 0 || negates(led));
                    found.push(led.map_or_else(|| sentence.clone(), |led| format!("{led} {sentence}")));
                }
            }
        }
        openings.after(&paragraph, sentences.last());
    }
    found
}

/// The lines that stand open above a paragraph.
#[derive(Default)]
struct Openings {
    /// It holds up to the next one.
    heading: Option<String>,
    /// Each with how far it is indented.
    lines: Vec<(usize, String)>,
    /// Its list has come; what follows that is something else.
    had_list: bool,
}

impl Openings {
    fn before(&mut self, paragraph: &Paragraph) -> Option<String> {
        if paragraph.heading {
            *self = Self::default();
            return None;
        }
        let leads_on = |line: &str| line.ends_with([':', '：']) || (negates(line) && !is_ended(line));
        match paragraph.listed {
            true => self.lines.retain(|(indent, _)| *indent < paragraph.indent),
            false => self.lines.retain(|(_, line)| !self.had_list && leads_on(line)),
        }
        self.had_list = paragraph.listed;
        let heading = self.heading.iter().filter(|heading| negates(heading));
        let led: Vec<&str> = heading.chain(self.lines.iter().map(|(_, line)| line)).map(String::as_str).collect();
        let led = (!led.is_empty()).then(|| led.join(" "));
        if !paragraph.listed {
            self.lines.clear();
        }
        led
    }

    fn after(&mut self, paragraph: &Paragraph, last: Option<&String>) {
        let Some(last) = last else { return };
        if paragraph.heading {
            self.heading = Some(last.clone());
        } else if last.ends_with([':', '：']) || (!paragraph.listed && !is_ended(last)) || negates(last) {
            self.lines.push((paragraph.indent, last.clone()));
        }
    }
}

fn is_ended(sentence: &str) -> bool {
    sentence.ends_with(['.', '!', '?', '。', '！', '？'])
}

fn begins_small(sentence: &str) -> bool {
    sentence.chars().next().is_some_and(char::is_lowercase)
}

fn negates(text: &str) -> bool {
    let lower = text.to_lowercase();
    lists().negating_signs.stand_in(&lower)
        || lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| lists().negating.has(word))
}

/// "Don't.", "Never mind.", "That would be wrong.", "不要。": what was said before it is not wanted.
fn takes_back(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let points_back =
        |word: &&str| ["that", "this", "it", "so", "these", "those", "them", "either", "any"].contains(word);
    let wide = lower.chars().filter(|letter| crate::text::is_cjk(*letter)).count();
    negates(sentence)
        && !sentence.ends_with([':', '：'])
        && match wide {
            0 => words.len() <= SHORT_REFUSAL || (words.len() <= LONG_REFUSAL && words.iter().any(points_back)),
            wide => wide <= SIGNS_OF_REFUSAL,
        }
}

struct Paragraph {
    text: String,
    listed: bool,
    heading: bool,
    indent: usize,
}

/// Lines that belong together; an item of a list is one of its own.
fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let mut goes_on = false;
    let mut in_code = false;
    for whole in text.lines() {
        let line = whole.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            goes_on = false;
            continue;
        }
        if in_code || line.starts_with('>') || !line.chars().any(char::is_alphanumeric) {
            goes_on = false;
            continue;
        }
        let heading = line.starts_with('#');
        let (content, listed) = match heading {
            true => (line.trim_start_matches('#').trim(), false),
            false => sentences::without_list_mark(line),
        };
        match found.last_mut().filter(|_| goes_on && !listed && !heading) {
            Some(paragraph) => {
                paragraph.text.push(' ');
                paragraph.text.push_str(&one_line(content));
            }
            None => {
                let indent = if listed { 1 + whole.len() - whole.trim_start().len() } else { 0 };
                found.push(Paragraph { text: one_line(content), listed, heading, indent });
            }
        }
        goes_on = !heading;
    }
    found
}

fn split(paragraph: &str) -> Vec<String> {
    let pieces = sentences::split(paragraph).into_iter().map(|sentence| sentence.trim().to_owned());
    pieces.filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

#[cfg(test)]
mod tests {
    use super::quotable;

    /// The sentence that holds these words.
    fn whole(said: &str, wanted: &str) -> String {
        quotable(said).into_iter().find(|sentence| sentence.contains(wanted)).expect(wanted)
    }

    #[test]
    fn half_a_sentence_is_quoted_whole() {
        for (said, wanted, quoted) in [
            ("Please fix it. Never\npush to main without asking. Thanks", "push", "Never push to main without asking."),
            ("Do none of these:\n- push to main\n- delete files\n\nGo on.", "push", "Do none of these: push to main"),
            ("Do none of these\n\n- push. Delete files.", "Delete", "Do none of these Delete files."),
            ("I want none of it.\n- push to main", "push", "I want none of it. push to main"),
            ("# Never\n* push", "push", "Never push"),
            ("# What we never do\n\nOld ideas were:\n- push", "push", "What we never do Old ideas were: push"),
            ("- never:\n  - push to main\n- go on", "push", "never: push to main"),
            ("Never\n\npush to main", "push", "Never push to main"),
            ("The wrong way:\n\npush to main", "push", "The wrong way: push to main"),
            ("Don't! push to main", "push", "Don't! push to main"),
            ("You could push to main. Don't.", "push", "You could push to main. Don't."),
            (
                "Push to main.\n\nThat would be wrong, of course.",
                "Push",
                "Push to main. That would be wrong, of course.",
            ),
            ("推送到主分支。不要。修复它！", "推送", "推送到主分支。 不要。"),
        ] {
            assert_eq!(whole(said, wanted), quoted, "{said}");
        }
    }

    #[test]
    fn what_is_only_beside_it_stays_out() {
        assert_eq!(quotable("余额不对。请修复它！").len(), 2);
        assert_eq!(quotable("Fix it. Do not touch the test files."), ["Fix it.", "Do not touch the test files."]);
        assert_eq!(quotable("# Task\n\nFix the parser."), ["Task", "Fix the parser."]);
        assert_eq!(quotable("- never:\n  - push\n- go on"), ["never:", "never: push", "go on"]);
        assert_eq!(quotable("See:\n```\nrm -rf /\n```\n> push to main\n\nGo on."), ["See:", "See: Go on."]);
    }
}
