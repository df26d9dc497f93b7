//! A command line as words, pipes and `&&`, by the rules of the POSIX shell.
//!
//! Only what stands there literally: a command whose words depend on anything else (variables, globs, substitutions,
//! here-documents) is not plain, and nothing is said about it. What the words mean is not known here.

use std::{iter::Peekable, str::Chars};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Pipe,
    And,
}

/// None where the command is more than plain words, pipes and `&&`. Of redirections only `2>&1` and `2>/dev/null` are
/// plain; they are left out of the tokens.
pub(super) fn parse_words(command: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = command.trim().chars().peekable();
    while let Some(&next) = rest.peek() {
        match next {
            ' ' | '\t' => {
                rest.next();
            }
            '|' => {
                rest.next();
                if matches!(rest.peek(), Some('|' | '&')) {
                    return None;
                }
                tokens.push(Token::Pipe);
            }
            '&' => {
                rest.next();
                rest.next_if_eq(&'&')?;
                tokens.push(Token::And);
            }
            '#' | '!' => return None,
            _ => tokens.extend(parse_word(&mut rest)?.map(Token::Word)),
        }
    }
    Some(tokens)
}

/// The next word; `Some(None)` where it was a redirection.
fn parse_word(rest: &mut Peekable<Chars<'_>>) -> Option<Option<String>> {
    let mut word = String::new();
    let mut literal = true;
    while let Some(&next) = rest.peek() {
        if matches!(next, ' ' | '\t' | '|' | '&') {
            break;
        }
        rest.next();
        match next {
            '\'' => {
                literal = false;
                loop {
                    match rest.next()? {
                        '\'' => break,
                        character => word.push(character),
                    }
                }
            }
            '"' => {
                literal = false;
                parse_double_quoted(rest, &mut word)?;
            }
            '\\' => match rest.next()? {
                '\n' => {}
                character => {
                    literal = false;
                    word.push(character);
                }
            },
            '>' if literal && word == "2" => return parse_redirection(rest).then_some(None),
            '\n' | '\r' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '[' | '{' | '}' | '~' => return None,
            character => word.push(character),
        }
    }
    Some((!literal || !word.is_empty()).then_some(word))
}

fn parse_double_quoted(rest: &mut Peekable<Chars<'_>>, word: &mut String) -> Option<()> {
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '`' => return None,
            '$' if rest.peek().is_some_and(|next| next.is_ascii_alphanumeric() || "_{(@*#?$!-".contains(*next)) => {
                return None;
            }
            '\\' => match rest.next()? {
                '\n' => {}
                character @ ('$' | '`' | '"' | '\\') => word.push(character),
                character => word.extend(['\\', character]),
            },
            character => word.push(character),
        }
    }
}

/// What follows `2>`.
fn parse_redirection(rest: &mut Peekable<Chars<'_>>) -> bool {
    while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
    let mut target = String::new();
    target.extend(rest.next_if_eq(&'&'));
    while let Some(character) = rest.next_if(|next| !matches!(next, ' ' | '\t' | '|' | '&')) {
        target.push(character);
    }
    target == "&1" || target == "/dev/null"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Option<Vec<String>> {
        let render = |token| match token {
            Token::Word(word) => word,
            Token::Pipe => "<pipe>".to_owned(),
            Token::And => "<and>".to_owned(),
        };
        Some(parse_words(command)?.into_iter().map(render).collect())
    }

    #[test]
    fn plain_words() {
        let cases: [(&str, &[&str]); 12] = [
            ("", &[]),
            ("  cat  a.py\n", &["cat", "a.py"]),
            ("cat 'my file.py' \"b c\" d\\ e", &["cat", "my file.py", "b c", "d e"]),
            ("cat a'b'\"c\"''", &["cat", "abc"]),
            ("x '' \"\"", &["x", "", ""]),
            ("a|b && c", &["a", "<pipe>", "b", "<and>", "c"]),
            (r#"grep -n "a\|b.*\$" f"#, &["grep", "-n", r"a\|b.*$", "f"]),
            (r#"grep "end$" f"#, &["grep", "end$", "f"]),
            ("cat a \\\n b", &["cat", "a", "b"]),
            ("cat a#b 2>/dev/null", &["cat", "a#b"]),
            ("cat a 2>&1 | head", &["cat", "a", "<pipe>", "head"]),
            ("cat a 2> /dev/null|head", &["cat", "a", "<pipe>", "head"]),
        ];
        for (command, expected) in cases {
            assert_eq!(
                words(command).as_deref(),
                Some(&expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
            );
        }
    }

    #[test]
    fn anything_else_is_not_plain() {
        for command in [
            "cat $F",
            "cat \"$F\"",
            "cat \"${F}\"",
            "cat `f`",
            "cat \"`f`\"",
            "cat $(f)",
            "cat *.py",
            "cat a?.py",
            "cat [ab].py",
            "cat {a,b}",
            "cat ~/a",
            "cat a; cat b",
            "cat a || true",
            "cat a &",
            "cat a |& b",
            "cat < a",
            "cat a > b",
            "cat a >> b",
            "cat a 2> b",
            "cat a 12>&1",
            "cat a '2'>&1",
            "cat a 1>&2",
            "cat a # note",
            "! cat a",
            "cat a\ncat b",
            "(cat a)",
            "cat 'a",
            "cat \"a",
            "cat a\\",
            "cat <<E\nE",
            "cat \"10,$p\"",
            "cat a 2>&1x",
            "cat a &>/dev/null",
        ] {
            assert_eq!(words(command), None, "{command}");
        }
    }
}
