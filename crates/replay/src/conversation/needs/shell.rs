//! What a command names: its words, the paths among them, what stands in here-documents.
//!
//! Enough of a shell's grammar to tell words from quoted text. Nothing is expanded, and what a program makes of its words
//! is not known: a word is a path if it looks like one.

/// A command without the bodies of its here-documents, and these bodies.
pub(super) fn split_documents(command: &str) -> (String, Vec<String>) {
    let (mut script, mut bodies) = (String::new(), Vec::new());
    let mut lines = command.split('\n');
    while let Some(line) = lines.next() {
        script.push_str(line);
        script.push('\n');
        for end in document_ends(line) {
            let mut body = String::new();
            for line in lines.by_ref().take_while(|line| line.trim() != end) {
                body.push_str(line);
                body.push('\n');
            }
            bodies.push(body);
        }
        // SWE-agent: `edit 3:9`, the new text, `end_of_edit`.
        if line.starts_with("edit ") && command.trim_end().ends_with("end_of_edit") {
            bodies.push(lines.by_ref().take_while(|line| line.trim() != "end_of_edit").collect::<Vec<_>>().join("\n"));
        }
    }
    (script, bodies)
}

/// The words that end the here-documents opened on a line.
fn document_ends(line: &str) -> Vec<&str> {
    let mut ends = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("<<") {
        rest = &rest[at + 2..];
        if let Some(after) = rest.strip_prefix('<') {
            rest = after;
            continue;
        }
        let word = rest.trim_start_matches(['-', '~']).trim_start();
        let word = word.trim_start_matches(['\'', '"', '\\']);
        let length = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
        if length > 0 && !word.starts_with(|c: char| c.is_ascii_digit()) {
            ends.push(&word[..length]);
        }
    }
    ends
}

/// The words of a script, quotes removed; the script of `bash -c '…'` is split, too.
pub(super) fn words(script: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = script.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(characters.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = characters.next() {
                    match c {
                        '"' => break,
                        '\\' => word.extend(characters.next()),
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next().filter(|c| *c != '\n')),
            '#' if word.is_none() => {
                characters.by_ref().take_while(|c| *c != '\n').for_each(drop);
            }
            c if c.is_whitespace() || ";|&()<>`".contains(c) => {
                if let Some(word) = word.take() {
                    push_word(&mut words, word);
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    if let Some(word) = word {
        push_word(&mut words, word);
    }
    words
}

fn push_word(done: &mut Vec<String>, word: String) {
    let is_script = match done.as_slice() {
        [.., shell, option] => {
            shell.ends_with("sh")
                && option.starts_with('-')
                && option.ends_with('c')
                && word.contains(char::is_whitespace)
        }
        _ => false,
    };
    if is_script { done.extend(words(&word)) } else { done.push(word) }
}

/// The path that a word of a command is, if it looks like one: it has a `/` or a file extension. The line behind it
/// (`main.rs:12`) is given apart.
///
/// Not taken for paths: addresses (`https://…`), `/dev/null`, substitutions of `sed`, names with wildcards, options
/// (`--file=x/y` gives `x/y`).
pub(super) fn path_of(word: &str) -> Option<(&str, Option<u32>)> {
    if word.contains("://") || word.contains(char::is_whitespace) {
        return None;
    }
    let word = match word.split_once('=') {
        Some((name, value)) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) => value,
        _ if word.starts_with('-') => return None,
        _ => word,
    };
    let (word, line) = without_line(word.trim_start_matches('@'));
    // `tests/test_a.py::test_b` is a test in a file, `HEAD:src/a.py` a file in a revision.
    let word = word.split_once("::").map_or(word, |(file, _)| file);
    let word = word.rsplit(':').next().unwrap_or(word);
    let is_substitution = word.starts_with("s/") && word.matches('/').count() >= 3;
    if is_substitution || word.starts_with("/dev/") || word.contains(['(', ')', '|', '^', '\\', '<', '>', '"', ';']) {
        return None;
    }
    let name = last_component(word)?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-.~+@%,".contains(c));
    let is_path = name.len() >= 2 && (word.contains('/') || has_extension(name));
    (plain && is_path).then_some((word, line))
}

/// `main.rs:12:5` is line 12 of `main.rs`, `main.rs:12-40` begins there.
fn without_line(word: &str) -> (&str, Option<u32>) {
    let (mut word, mut line) = (word, None);
    while let Some((before, number)) = word.trim_end_matches(':').rsplit_once(':') {
        let Ok(number) = number.split('-').next().unwrap_or(number).parse() else { break };
        (word, line) = (before, Some(number));
    }
    (word, line)
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_word = (1..=10).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    is_word
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && (stem.len() >= 2 || extension.len() >= 3 || stem.starts_with(char::is_alphanumeric))
}

/// The last component of a path that names something.
pub(super) fn last_component(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit(['/', '\\']).next()?;
    name.contains(char::is_alphabetic).then_some(name)
}
