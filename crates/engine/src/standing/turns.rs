//! What a person's turn is, by its wording: a request, a question, a remark, an answer, or nothing but "go on".
//!
//! What the request is about, and whether it still holds, is not known here.

use super::{
    sentences::{Sentence, sentences},
    wording::{lower, wording, words},
};
pub(super) use crate::history::Kind;
use crate::{
    configuration::standing::{
        FEW_WORDS, LEAST_WORDS, LONGEST_LOOK, LONGEST_REQUEST, MATTER, OBJECTION_CUE, PLAN, SENTENCES, TITLE_WORDS,
    },
    history::Tone,
    text::beginning,
};

impl Kind {
    /// Work can begin with it, whatever was said before.
    pub(super) fn begins_work(self) -> bool {
        matches!(self, Self::Plan | Self::Request)
    }

    pub(super) fn says_something(self) -> bool {
        matches!(self, Self::Plan | Self::Request | Self::Question | Self::Remark)
    }
}

/// The part of a turn that a person typed. A command of the client counts by its arguments.
pub(super) fn own_words(text: &str) -> &str {
    let mut rest = text.trim();
    if let Some((_, behind)) = rest.split_once("<command-args>") {
        return behind.split("</command-args>").next().unwrap_or_default().trim();
    }
    while let Some(name) = rest.strip_prefix('<').and_then(|tag| tag.split(['>', ' ']).next())
        && wording().foreign_tags.has(name)
        && let Some((_, behind)) = rest.split_once(&format!("</{name}>"))
    {
        rest = behind.trim_start();
    }
    rest
}

/// How a turn is meant.
pub(super) fn tone(text: &str) -> Tone {
    let list = wording();
    Tone {
        objects: list.objects.begin(&beginning(text, OBJECTION_CUE).to_lowercase()),
        rejects: list.rejects.stand_in(&lower(beginning(text, LONGEST_LOOK))),
    }
}

pub(super) fn kind_of(text: &str) -> Kind {
    let lower = beginning(text.trim(), LONGEST_LOOK).to_lowercase().replace('’', "'");
    let list = wording();
    let all: Vec<&str> = words(&lower).collect();
    if all.is_empty() || list.foreign_starts.begin(&lower) {
        return Kind::Foreign;
    }
    if all.iter().all(|word| goes_on(word)) {
        return Kind::Answer;
    }
    if hands_on(&lower) {
        return Kind::Closes;
    }
    if only_pastes(text) {
        return Kind::Remark;
    }
    if all.len() >= PLAN && title(text).is_some() {
        return Kind::Plan;
    }
    // "commit, push. How did we miss this?" asks one thing.
    let mut found = sentences(&lower);
    let (closing, dropping) = (|text: &str| hands_on(text), |text: &str| drops(text));
    let any = |is: &dyn Fn(&str) -> bool| found.iter().any(|sentence| is(sentence.text));
    let (hands_on, drops) = (any(&closing), any(&dropping));
    found.retain(|sentence| !closing(sentence.text) && !dropping(sentence.text));
    match found.is_empty() {
        true if hands_on => return Kind::Closes,
        true if drops => return Kind::Answer,
        _ => {}
    }
    let mut looked: Vec<&str> = found.iter().map(|sentence| sentence.text).take(SENTENCES).collect();
    looked.extend(found.last().map(|sentence| sentence.text));
    let replies = all.len() < MATTER && all.first().is_some_and(|first| list.replies.has(first));
    match () {
        _ if looked.iter().any(|sentence| requests(sentence)) => Kind::Request,
        _ if looked.iter().any(|sentence| is_question(sentence)) => Kind::Question,
        _ if list.trouble.stand_in(&lower) && !replies => Kind::Request,
        _ if all.len() >= MATTER && !list.persons.stand_in(&lower) => Kind::Request,
        _ if all.len() < LEAST_WORDS && lower.is_ascii() => Kind::Answer,
        _ => Kind::Remark,
    }
}

fn goes_on(word: &str) -> bool {
    wording().go_on.has(word) || word.chars().count() == 1 || is_number(word)
}

/// Whether a sentence only hands on what was done: "commit and push".
pub(super) fn hands_on(lower: &str) -> bool {
    let list = wording();
    let closes = |word: &str| list.closes.has(word) || list.closing.has(word) || goes_on(word);
    words(lower).all(closes) && words(lower).any(|word| list.closes.has(word))
}

/// Whether a sentence drops a matter, and asks for nothing in its place.
fn drops(lower: &str) -> bool {
    let asks = |clause: &str| requests(clause) && !wording().drops.stand_in(clause);
    wording().drops.stand_in(lower) && !lower.split([',', ';', '，']).any(asks)
}

/// Whether a turn of a word or two says nothing by itself: "hi", "yes", "/model".
pub(super) fn asks_nothing(text: &str) -> bool {
    text.split_whitespace().nth(2).is_none() && !kind_of(text).says_something()
}

/// Whether a sentence asks for something to be done. One that only wants to know does not.
pub(super) fn requests(lower: &str) -> bool {
    let list = wording();
    let first = words(lower).find(|word| !list.leads_on.has(word)).unwrap_or_default();
    let wants_to_know = is_question(lower) && list.interrogatives.has(first);
    let begins = list.requests.has(first) && !list.reminds.begin(lower);
    let clauses = || lower.split([',', ';', ':', '。', '，']).skip(1);
    let in_clause = || {
        let first = |clause: &str| {
            words(clause).find(|word| !list.leads_on.has(word)).is_some_and(|word| list.requests.has(word))
        };
        !is_question(lower) && clauses().any(first)
    };
    !wants_to_know && (begins || in_clause() || list.asks.stand_in(lower) || wishes(lower))
}

/// Whether a sentence says how something should be, and perhaps no more than that.
fn wishes(lower: &str) -> bool {
    wording().wishes.stand_in(lower) && !wording().muses.stand_in(lower)
}

pub(super) fn is_question(text: &str) -> bool {
    text.trim_end_matches(['*', '_', '"', ')', ' ']).ends_with(['?', '？'])
}

/// The heading that a turn begins with, behind what only leads to it.
pub(super) fn title(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let is_framed = lines.peek().is_some_and(|line| is_frame(line));
    // The first line of an issue or a pull request that a prompt is about is its title.
    let names = |line: &str| TITLE_WORDS.contains(&line.split_whitespace().count());
    let first = lines.filter(|line| !is_frame(line)).find(|line| !is_framed || line.starts_with('#') || names(line))?;
    let is_title = first.starts_with('#') || (is_framed && !first.ends_with([':', '：']));
    Some(first.trim_start_matches('#').trim()).filter(|title| is_title && !title.is_empty())
}

/// The sentence that says what is wanted, the title before it where there is one, or the first sentence where the other
/// is short: "can you debug this?". Each is as it stands there.
pub(super) fn wanted(text: &str) -> Option<String> {
    let is_said =
        |sentence: &Sentence<'_>| !is_frame(sentence.text) && !is_printed(sentence.text) && !is_lead_in(sentence.text);
    let holds = |sentence: &Sentence<'_>| !drops(&sentence.text.to_lowercase().replace('’', "'"));
    if only_pastes(text) {
        // What it is about is what went wrong at last.
        return text.lines().map(str::trim).rfind(|line| wording().levels.begin(line)).map(str::to_owned);
    }
    let mut found: Vec<Sentence<'_>> = sentences(text).into_iter().filter(is_said).map(without_data).collect();
    if found.iter().any(holds) {
        found.retain(holds);
    }
    // Behind what was pasted somebody speaks of something else.
    let pasted_between = |one: &str, other: &str| {
        // Sentences are borrowed from the text.
        let start = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let between = &text[start(one) + one.len()..start(other)];
        let lines = between.find('\n').zip(between.rfind('\n')).map_or("", |(first, last)| &between[first..last]);
        wording().data.stand_in(between) || lines.lines().any(|line| is_printed(line.trim()))
    };
    let title = title(text);
    let is_plan = kind_of(text) == Kind::Plan;
    let asks = |sentence: &Sentence<'_>| {
        // What a plan says first is what it is for; all of it asks.
        if is_plan || !sentence.text.starts_with(|first: char| first.is_alphanumeric() || first == '`') {
            return false;
        }
        let lower = sentence.text.to_lowercase().replace('’', "'");
        requests(&lower) || is_question(&lower)
    };
    let says = |sentence: &Sentence<'_>| !matches!(kind_of(sentence.text), Kind::Answer | Kind::Foreign | Kind::Closes);
    let among = |listed: bool| {
        let first = || found.iter().take(SENTENCES).chain(found.last()).filter(|sentence| sentence.listed == listed);
        let mut asking = first().filter(|sentence| asks(sentence) && says(sentence));
        let chosen = asking.next()?;
        // "All months should be in one report" may only say how it is; what is to be done about it stands behind it.
        let only_says = wording().wishes.in_text(&chosen.text.to_lowercase()).all(|cue| cue == "should be");
        let does = |sentence: &&Sentence<'_>| {
            requests(&sentence.text.to_lowercase()) && !wishes(&sentence.text.to_lowercase())
        };
        // Nor is what only supposes, or what the next sentence takes back, as good as what is asked outright.
        let place = |text: &str| found.iter().position(|sentence| std::ptr::eq(sentence.text, text));
        let back = |text: &str| place(text).and_then(|at| found.get(at + 1)).is_some_and(|next| takes_back(next.text));
        let outright = |sentence: &&Sentence<'_>| does(sentence) && !supposes(sentence.text) && !back(sentence.text);
        let behind = match () {
            () if only_says && wishes(&chosen.text.to_lowercase()) => asking.find(does),
            () if supposes(chosen.text) || back(chosen.text) => asking.find(outright),
            () => None,
        };
        let chosen = behind.unwrap_or(chosen);
        found.iter().position(|sentence| std::ptr::eq(sentence.text, chosen.text))
    };
    // The steps of a list describe more often than they ask.
    let at = among(false).or_else(|| among(true));
    let at = at.or_else(|| found.iter().position(says)).or(if found.is_empty() { None } else { Some(0) });
    let Some(at) = at else { return title.map(str::to_owned) };
    let mut words = found[at].text.to_owned();
    // "I am seeing" goes on in the next line.
    let opening = found[..at].iter().map(|sentence| sentence.text).find(|text| kind_of(text).says_something());
    let mut last = found[at].text;
    for next in &found[at + 1..] {
        let enough = match words.chars().next_back() {
            // A short one says that there is something; what it is stands behind it, or before it.
            Some('.' | '!' | '。' | '！') if opening.is_none() => FEW_WORDS,
            Some('.' | '!' | '?' | '。' | '！' | '？') => LEAST_WORDS,
            _ => usize::MAX,
        };
        let is_whole = words.split_whitespace().count() >= enough && !takes_back(next.text);
        if is_whole || words.len() + next.text.len() > LONGEST_REQUEST || pasted_between(last, next.text) {
            break;
        }
        last = next.text;
        let gap = if next.listed { " … " } else { " " };
        words = format!("{words}{gap}{}", next.text);
    }
    let few = words.split_whitespace().count() < FEW_WORDS;
    Some(match (title, opening.filter(|_| few)) {
        // The steps of a plan are done one by one; what they are for is its title.
        (Some(title), _) if title.split_whitespace().count() >= *TITLE_WORDS.start() => title.to_owned(),
        (Some(title), _) => format!("{title} … {words}"),
        (None, Some(opening)) => format!("{opening} … {words}"),
        (None, None) => words,
    })
}

/// A sentence without the data that somebody pasted behind it.
fn without_data(sentence: Sentence<'_>) -> Sentence<'_> {
    let starts = |at: &usize| sentence.text.is_char_boundary(*at) && wording().data.begin(&sentence.text[*at..]);
    let end = (1..sentence.text.len()).find(starts).unwrap_or(sentence.text.len());
    Sentence { text: sentence.text[..end].trim_end(), ..sentence }
}

/// Whether a turn is what a program printed, and nobody adds a word to it.
fn only_pastes(text: &str) -> bool {
    let list = wording();
    let mut lines = beginning(text.trim(), LONGEST_LOOK).lines().map(str::trim).filter(|line| !line.is_empty());
    let (printed, rest): (Vec<&str>, Vec<&str>) = lines.clone().partition(|line| is_printed(line));
    let speaks = |line: &&str| {
        let lower = line.to_lowercase().replace('’', "'");
        list.persons.stand_in(&lower) || is_question(line) || requests(&lower)
    };
    lines.next().is_some_and(is_printed) && printed.len() > 1 && !rest.iter().any(speaks)
}

/// Whether a sentence thinks about something, or holds under a condition.
fn supposes(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let conditional = |clause: &str| wording().conditions.begin(clause.trim_start());
    wording().muses.stand_in(&lower) || lower.split([',', ';', '，']).any(conditional)
}

fn takes_back(text: &str) -> bool {
    wording().takes_back.begin(&text.to_lowercase())
}

/// A line that a program printed and a person pasted: of a log or data, or more signs and numbers than words.
fn is_printed(line: &str) -> bool {
    let behind = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = behind.len() < line.len() && behind.trim_start().starts_with("| ");
    let is_rule = line.len() > 1 && line.starts_with("==") && line.ends_with("==");
    if is_numbered || is_rule || wording().levels.begin(line) || wording().data.begin(line) {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    // Whoever sends a link means what it leads to.
    if words.iter().any(|word| word.contains("://")) && !words.iter().any(|word| word.contains(['{', '='])) {
        return false;
    }
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|letter: char| ".,;:!?()`'\"*“”‘’".contains(letter));
        word.chars().all(|letter| letter.is_alphabetic() || "-'’_./".contains(letter)) && !word.is_empty()
    };
    line.is_ascii() && words.iter().filter(is_word).count() * 2 < words.len()
}

/// "Implement the following plan:" is not yet what is wanted.
fn is_frame(line: &str) -> bool {
    wording().frames.begin(&line.to_lowercase().replace('’', "'"))
}

/// "Please do the following:" says only that something follows.
fn is_lead_in(text: &str) -> bool {
    let lower = text.to_lowercase();
    text.ends_with([':', '：']) && words(&lower).all(|word| wording().lead_ins.has(word) || is_number(word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(texts: &[&str]) -> Vec<Kind> {
        texts.iter().map(|text| kind_of(text)).collect()
    }

    #[test]
    fn going_on_choosing_and_handing_on_ask_for_nothing_new() {
        let answers =
            ["continue", "Yes, please go on.", "继续", "ok", "1", "C)", "1 and 2", "let's try 2=", "LGTM", "option 2"];
        assert!(answers.iter().all(|text| kind_of(text) == Kind::Answer), "{:?}", kinds(&answers));
        let closing = ["commit", "Commit and push", "push it please", "commit, push, create draft PR", "提交"];
        assert!(closing.iter().all(|text| kind_of(text) == Kind::Closes), "{:?}", kinds(&closing));
        assert_eq!(kind_of("[Request interrupted by user]"), Kind::Foreign);
        assert!(["", "hi", "Hello!", "good morning", "/model"].iter().all(|text| asks_nothing(text)));
        assert!(["fix it", "why?", "TimeDelta serialization precision"].iter().all(|text| !asks_nothing(text)));
    }

    #[test]
    fn requests_are_known_from_questions_and_remarks() {
        for text in [
            "fix the ledger test",
            "can you check if the balance is exact?",
            "also wondering: this should be solved, can you look for something?",
            "mise run test:ci is failing",
            "let's address 1 first, and let it reset the branch",
            "ok i don't want that, remove it from the script",
            "请修复失败的测试",
        ] {
            assert_eq!(kind_of(text), Kind::Request, "{text}");
        }
        assert_eq!(
            kind_of("perhaps we should see it there, or it is stuck - i don't think there's more"),
            Kind::Remark
        );
        for text in ["is there a command to move it?", "do we need the changes before we start?", "so is it the cache?"]
        {
            assert_eq!(kind_of(text), Kind::Question, "{text}");
        }
        assert_eq!(kind_of("there are some different possibilities here I think"), Kind::Remark);
        assert_eq!(kind_of("yeah I feel the prefix is redundant"), Kind::Remark);
    }

    #[test]
    fn what_is_dropped_is_not_wanted() {
        assert_eq!(kind_of("never mind, we'll look at it later.\n\ncommit, push and open a draft PR"), Kind::Closes);
        assert_eq!(kind_of("never mind"), Kind::Answer);
        assert_eq!(wanted("Never mind the tests. Rename the helper.").as_deref(), Some("Rename the helper."));
        assert_eq!(
            wanted("forget it, rename the helper instead").as_deref(),
            Some("forget it, rename the helper instead")
        );
    }

    #[test]
    fn what_was_pasted_is_not_wanted() {
        let pasted = "=== Step 6: Validation ===\nMain session: 5df98c99-f0cb\nERROR: Session 1 was included in the metadata!\n{\"time\":\"2026-02-15\"}";
        assert_eq!(kind_of(pasted), Kind::Remark);
        assert_eq!(
            wanted("this one still fails to close:\n{\"time\":\"2026-02-15\",\"level\":\"DEBUG\"}\nand more")
                .as_deref(),
            Some("this one still fails to close:")
        );
    }

    #[test]
    fn what_is_wanted_is_quoted_without_its_frame() {
        let plan = format!(
            "Implement the following plan:\n\n# Exact balances\n\nCompare whole names. {}",
            "More. ".repeat(130)
        );
        assert_eq!(kind_of(&plan), Kind::Plan);
        assert!(wanted(&plan).is_some_and(|text| text.starts_with("Exact balances … Compare whole names.")));
        let issue = "We're currently solving the following issue within our repository. Here's the issue text:\nISSUE:\nReports crash on empty months\nSteps follow.";
        assert_eq!(wanted(issue).as_deref(), Some("Reports crash on empty months"));
        assert_eq!(
            wanted("Reports crash on empty months.\nMore of it. Can you debug this?").as_deref(),
            Some("Reports crash on empty months. … Can you debug this?")
        );
        assert_eq!(
            wanted("Please do the following:\n- rename the helper\n- add cents to the report\n").as_deref(),
            Some("rename the helper … add cents to the report")
        );
        assert_eq!(
            wanted("Until now all months should be in one report. Can you check in the ledger whether that has changed since the last release?").as_deref(),
            Some("Can you check in the ledger whether that has changed since the last release?")
        );
        assert_eq!(kind_of("commit, push. How did we miss this btw?"), Kind::Question);
        assert_eq!(wanted("commit, push. How did we miss this btw?").as_deref(), Some("How did we miss this btw?"));
        assert_eq!(
            kind_of("it clears no months. Have in mind that there may be months without a report"),
            Kind::Remark
        );
        assert_eq!(
            wanted("Let's pause, if the ledger is exact I think we can change the report. But I'm not sure it is. So can you compare both by hand for one whole month and tell me?").as_deref(),
            Some("So can you compare both by hand for one whole month and tell me?")
        );
        assert_eq!(
            wanted("First we need to address an oversight. The report shows the months twice.").as_deref(),
            Some("First we need to address an oversight. The report shows the months twice.")
        );
        assert_eq!(own_words("<system-reminder>x</system-reminder>\nfix it"), "fix it");
        assert_eq!(own_words("<command-name>/a</command-name>\n<command-args>do this</command-args>"), "do this");
        assert_eq!(own_words("<command-name>/a</command-name>"), "");
    }
}
