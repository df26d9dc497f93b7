//! Names of files as a shell has them before it looks at the disk: text, wildcards, and parts that nobody knows.
//!
//! A character class counts as any character and `**` as any text: to match too much costs a look at a file, to match
//! too little would show old lines as current. Which of the names exist is not known here.

use crate::configuration::commands::LONGEST_PATTERN;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Element {
    Text(String),
    /// One character of a name.
    One,
    /// Any part of one name.
    Star,
    /// Any text, also across directories.
    Deep,
    /// The same, because what the shell puts there is unknown.
    Unknown,
}

/// What the name of a file is like.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(Vec<Element>);

impl Pattern {
    pub(super) fn text(text: &str) -> Self {
        let mut pattern = Self::default();
        pattern.push_text(text);
        pattern
    }

    pub(super) fn anything() -> Self {
        Self(vec![Element::Deep])
    }

    pub(super) fn unknown() -> Self {
        Self(vec![Element::Unknown])
    }

    pub(super) fn elements(&self) -> &[Element] {
        &self.0
    }

    pub(super) fn push_text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Element::Text(last)) => last.push_str(text),
            _ => self.add(Element::Text(text.to_owned())),
        }
    }

    pub(super) fn push(&mut self, element: Element) {
        match element {
            Element::Text(text) => self.push_text(&text),
            element => self.add(element),
        }
    }

    fn add(&mut self, element: Element) {
        let is_full = self.0.len() >= LONGEST_PATTERN;
        match (self.0.last_mut(), element) {
            (Some(last), _) if is_full => *last = Element::Deep,
            (Some(last @ Element::Star), Element::Star) => *last = Element::Deep,
            (Some(Element::Deep), Element::Star | Element::Deep) => {}
            (_, element) => self.0.push(element),
        }
    }

    pub(super) fn append(&mut self, other: &Self) {
        other.0.iter().for_each(|element| self.push(element.clone()));
    }

    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.append(other);
        both
    }

    /// How long it is, a wildcard as one character.
    pub(super) fn length(&self) -> usize {
        let length = |element: &Element| if let Element::Text(text) = element { text.len() } else { 1 };
        self.0.iter().map(length).sum()
    }

    /// The parts that are known, set apart where something is not.
    pub(super) fn known_text(&self) -> String {
        let text = |element: &Element| if let Element::Text(text) = element { text.clone() } else { "*".to_owned() };
        self.0.iter().map(text).collect()
    }

    /// Whether a text stands in one of the parts that are known.
    pub(super) fn contains(&self, text: &str) -> bool {
        self.0.iter().any(|element| matches!(element, Element::Text(part) if part.contains(text)))
    }

    /// The text, where it is nothing else.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Element::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text that it begins with.
    pub(super) fn prefix(&self) -> &str {
        match self.0.first() {
            Some(Element::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether it says nothing at all about the name.
    pub(super) fn is_unresolved(&self) -> bool {
        let says_nothing = |element: &Element| match element {
            Element::Text(text) => text.bytes().all(|byte| byte == b'/'),
            _ => true,
        };
        self.0.contains(&Element::Unknown) && self.0.iter().all(says_nothing)
    }

    /// Its parts between slashes.
    pub(super) fn components(&self) -> Vec<Self> {
        let mut components = vec![Self::default()];
        for element in &self.0 {
            match element {
                Element::Text(text) => {
                    for (at, part) in text.split('/').enumerate() {
                        if at > 0 {
                            components.push(Self::default());
                        }
                        components.last_mut().expect("never empty").push_text(part);
                    }
                }
                other => components.last_mut().expect("never empty").push(other.clone()),
            }
        }
        components
    }

    pub(super) fn join(components: &[Self]) -> Self {
        let mut joined = Self::default();
        for (at, component) in components.iter().enumerate() {
            joined.push_text(if at > 0 { "/" } else { "" });
            joined.append(component);
        }
        joined
    }

    /// What follows the last slash, or the one before where nothing follows it.
    pub(super) fn last_name(&self) -> Self {
        let names = self.components();
        names.iter().rev().find(|name| !name.0.is_empty()).cloned().unwrap_or_default()
    }

    /// Everything below the directory of this name, if so with one of these endings.
    pub(super) fn below(&self, ending: &str) -> Self {
        let mut below = self.clone();
        below.push_text(if self.0.is_empty() { "" } else { "/" });
        below.push(Element::Deep);
        below.push_text(ending);
        below
    }

    /// The same where the program, not the shell, reads the wildcards: for it `*` may cross directories.
    pub(super) fn globbed(&self) -> Self {
        let mut globbed = Self::default();
        for element in &self.0 {
            let Element::Text(text) = element else {
                globbed.push(if *element == Element::Star { Element::Deep } else { element.clone() });
                continue;
            };
            let mut rest = text.as_str();
            while let Some(at) = rest.find(['*', '?', '[']) {
                globbed.push_text(&rest[..at]);
                let wildcard = &rest[at..];
                rest = &wildcard[1..];
                if wildcard.starts_with('*') {
                    globbed.push(Element::Deep);
                    continue;
                }
                globbed.push(Element::One);
                if wildcard.starts_with('[') {
                    rest = rest.find(']').map_or("", |end| &rest[end + 1..]);
                }
            }
            globbed.push_text(rest);
        }
        globbed
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        if let (Some(Element::Text(end)), Some(Element::Text(start))) = (self.0.last(), self.0.first())
            && !(path.ends_with(end.as_str()) && path.starts_with(start.as_str()))
        {
            return false;
        }
        // Where in the path the elements so far can end.
        let mut ends = vec![false; path.len() + 1];
        ends[0] = true;
        for element in &self.0 {
            ends = step(element, path, &ends);
        }
        ends[path.len()]
    }
}

fn step(element: &Element, path: &str, starts: &[bool]) -> Vec<bool> {
    let mut ends = vec![false; starts.len()];
    match element {
        Element::Text(text) => {
            let reached = |at: &usize| starts[*at] && path.as_bytes()[*at..].starts_with(text.as_bytes());
            (0..starts.len()).filter(reached).for_each(|at| ends[at + text.len()] = true);
        }
        Element::One => {
            let names = path.char_indices().filter(|(at, character)| starts[*at] && *character != '/');
            names.for_each(|(at, character)| ends[at + character.len_utf8()] = true);
        }
        Element::Star | Element::Deep | Element::Unknown => {
            let mut reached = false;
            for (at, end) in ends.iter_mut().enumerate() {
                let crosses = *element == Element::Star && at > 0 && path.as_bytes()[at - 1] == b'/';
                reached = starts[at] || (reached && !crosses);
                *end = reached;
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        let mut pattern = Pattern::default();
        for character in text.chars() {
            match character {
                '*' => pattern.push(Element::Star),
                '?' => pattern.push(Element::One),
                '%' => pattern.push(Element::Unknown),
                character => pattern.push_text(character.encode_utf8(&mut [0; 4])),
            }
        }
        pattern
    }

    #[test]
    fn wildcards() {
        for (text, path, expected) in [
            ("*.py", "a.py", true),
            ("*.py", "src/a.py", false),
            ("**.py", "src/a.py", true),
            ("src/*", "src/a.py", true),
            ("src/*", "src/web/a.py", false),
            ("src/*/a.py", "src/web/a.py", true),
            ("src/%/a.py", "src/x/y/a.py", true),
            ("%a.py", "a.py", true),
            ("?.py", "é.py", true),
            ("?.py", "/.py", false),
            ("a*b*c", "abbc", true),
            ("a*b*c", "abb/c", false),
            ("", "", true),
            ("", "a", false),
            ("文*.md", "文件.md", true),
        ] {
            assert_eq!(pattern(text).matches(path), expected, "{text} {path}");
        }
    }

    #[test]
    fn what_a_program_globs_itself() {
        assert!(Pattern::text("src/*.p[yx]").globbed().matches("src/web/a.py"));
        assert!(!Pattern::text("src/*.p[yx]").globbed().matches("web/a.py"));
    }

    proptest::proptest! {
        #[test]
        fn text_matches_itself_alone(text in "\\PC{0,20}", other in "\\PC{0,20}") {
            proptest::prop_assert!(Pattern::text(&text).matches(&text));
            proptest::prop_assert_eq!(Pattern::text(&text).matches(&other), text == other);
            proptest::prop_assert!(Pattern::anything().matches(&other));
        }

        #[test]
        fn any_pattern_and_any_path(text in "[a/*?%é]{0,12}", path in "[a/é]{0,12}") {
            pattern(&text).matches(&path);
            Pattern::text(&text).globbed().matches(&path);
        }
    }
}
