//! `@path` in what a person wrote: the file is named to the model, never put into its prompt unasked.

/// The paths that a text mentions: in their order, each once.
pub fn mentioned(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = None;
    for (at, character) in text.char_indices() {
        let is_mention = character == '@' && !before.is_some_and(char::is_alphanumeric);
        before = Some(character);
        if !is_mention {
            continue;
        }
        let rest = &text[at + 1..];
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map_or("", |(path, _)| path),
            None => {
                let end = rest.find(|next: char| !(next.is_ascii_alphanumeric() || "/._-".contains(next)));
                // The full stop that ends a sentence is not the path's.
                rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '-'])
            }
        };
        if !path.is_empty() && found.iter().all(|known| known != path) {
            found.push(path.to_owned());
        }
    }
    found
}

/// What the model reads of them; none where there are none. More than `most` are counted, not named.
pub fn reminder(paths: &[String], most: usize) -> Option<String> {
    let (named, more) = paths.split_at(paths.len().min(most));
    let names = named.iter().map(|path| format!("- {path}")).collect::<Vec<_>>().join("\n");
    let more = if more.is_empty() { String::new() } else { format!("\n(and {} more…)", more.len()) };
    (!named.is_empty()).then(|| {
        format!("The user names these files. Read each of them with the Read tool before you answer:\n{names}{more}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_e4_ascii_paths_are_found_and_quoted_ones_and_mail_addresses_left_alone() {
        let text = "see @src/a.rs and @\"my file.txt\", not ines@harbor.org; @src/a.rs again, @docs/b.md. And @x";
        assert_eq!(mentioned(text), ["src/a.rs", "my file.txt", "docs/b.md", "x"]);
        assert!(mentioned("a @ b, @, @\"\"").is_empty());
    }

    #[test]
    fn seed_a7_more_than_five_are_counted() {
        let paths: Vec<String> = (0..8).map(|number| format!("f{number}")).collect();
        let said = reminder(&paths, 5).unwrap();
        assert!(said.ends_with("- f4\n(and 3 more…)"), "{said}");
        assert_eq!(reminder(&[], 5), None);
    }
}
