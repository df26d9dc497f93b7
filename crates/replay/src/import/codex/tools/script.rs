//! Code mode: the model writes JavaScript that calls the tools, or a plain command.
//!
//! The code is not run here. Calls whose arguments stand in the code as literals are found; what is computed is not.

use serde_json::{Map, Value};

use crate::import::bounds::parse_within;

#[derive(Debug, PartialEq)]
pub(super) enum Script {
    /// One command, or a tool of the same arguments.
    Command {
        arguments: Value,
        prints: Prints,
    },
    Patch(String),
    /// Several commands and patches, as one command that changes what they change.
    Many(String),
    Other,
}

/// What the script gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prints {
    /// What the command printed.
    Output,
    Otherwise,
}

pub(super) fn parse_script(code: &str) -> Script {
    let calls = calls(code);
    let is_code = ["await ", "text(", "const ", "let ", "tools."].iter().any(|mark| code.contains(mark));
    match calls.as_slice() {
        [] if is_code => Script::Other,
        [] => match parse_within(code) {
            Some(arguments) if arguments.is_object() => Script::Command { arguments, prints: Prints::Output },
            _ => Script::Command {
                arguments: Map::from_iter([("cmd".into(), code.into())]).into(),
                prints: Prints::Output,
            },
        },
        [Found::Patch(patch)] => Script::Patch(patch.clone()),
        [Found::Command(fields)] => {
            let gives_output =
                code.matches("text(").count() == 1 && code.contains(".output)") && !code.contains("for (");
            let prints = if gives_output { Prints::Output } else { Prints::Otherwise };
            Script::Command { arguments: fields.clone().into(), prints }
        }
        calls => Script::Many(calls.iter().map(Found::as_command).collect::<Vec<_>>().join("\n")),
    }
}

enum Found {
    Command(Map<String, Value>),
    Patch(String),
}

impl Found {
    fn as_command(&self) -> String {
        match self {
            Self::Command(fields) => {
                let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
                match text("workdir") {
                    "" => text("cmd").to_owned(),
                    directory => format!("(cd '{directory}' && {})", text("cmd")),
                }
            }
            Self::Patch(patch) => format!("apply_patch <<'PATCH'\n{}\nPATCH", patch.trim_end()),
        }
    }
}

fn calls(code: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("tools.") {
        let rest = &code[at + "tools.".len()..];
        let Some((name, arguments)) = rest.split_once('(') else { continue };
        match name {
            "exec_command" | "shell_command" | "shell" => {
                let mut fields = Map::new();
                for (field, keys) in [("cmd", ["cmd", "command"]), ("workdir", ["workdir", "cwd"])] {
                    let text = keys.iter().find_map(|key| field_of(code, call_text(arguments), key));
                    fields.extend(text.map(|text| (field.to_owned(), text.into())));
                }
                if fields.contains_key("cmd") {
                    found.push(Found::Command(fields));
                }
            }
            "apply_patch" => {
                let arguments = arguments.trim_start();
                let patch = value_at(code, arguments).or_else(|| field_of(code, call_text(arguments), "input"));
                found.extend(patch.map(Found::Patch));
            }
            _ => {}
        }
    }
    found
}

/// The arguments of a call, up to the parenthesis that ends it outside of quotes.
fn call_text(text: &str) -> &str {
    let mut depth = 1;
    let mut quote = None;
    let mut escaped = false;
    for (at, next) in text.char_indices() {
        match (quote, next) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), next) if open == next => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(next),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// `key: "…"` or `"key": "…"` among arguments.
fn field_of(code: &str, arguments: &str, key: &str) -> Option<String> {
    arguments.match_indices(key).find_map(|(at, _)| {
        let before = arguments[..at].trim_end_matches(['"', '\'']).trim_end();
        let rest = arguments[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        let begins = before.ends_with(['{', ',']) || before.is_empty();
        match rest.strip_prefix(':') {
            Some(value) if begins => value_at(code, value.trim_start()),
            // `{cmd}` for `{cmd: cmd}`.
            None if begins && rest.starts_with([',', '}']) => named(code, key),
            _ => None,
        }
    })
}

/// A literal, or the name of one.
fn value_at(code: &str, text: &str) -> Option<String> {
    literal(text).or_else(|| {
        let name: String =
            text.chars().take_while(|next| next.is_alphanumeric() || matches!(next, '_' | '$')).collect();
        if name.is_empty() { None } else { named(code, &name) }
    })
}

fn named(code: &str, name: &str) -> Option<String> {
    ["const ", "let ", "var "].iter().find_map(|keyword| {
        let (_, rest) = code.split_once(&format!("{keyword}{name}"))?;
        literal(rest.trim_start().strip_prefix('=')?.trim_start())
    })
}

fn literal(text: &str) -> Option<String> {
    let (text, is_raw) = text.strip_prefix("String.raw").map_or((text, false), |rest| (rest, true));
    let mut letters = text.chars();
    let quote = letters.next().filter(|next| matches!(next, '"' | '\'' | '`'))?;
    let mut made = String::new();
    while let Some(next) = letters.next() {
        match next {
            next if next == quote => return Some(made),
            '\\' if !is_raw => match letters.next()? {
                'n' => made.push('\n'),
                't' => made.push('\t'),
                'r' => made.push('\r'),
                '\n' => {}
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    made.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
                }
                other => made.push(other),
            },
            next => made.push(next),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(arguments: Value, prints: Prints) -> Script {
        Script::Command { arguments, prints }
    }

    #[test]
    fn one_command_is_found_in_code() {
        let code =
            "const r = await tools.exec_command({cmd: \"rg -n \\\"x\\\" src\", workdir: '/shop'});\ntext(r.output);";
        assert_eq!(parse_script(code), command(json!({"cmd": "rg -n \"x\" src", "workdir": "/shop"}), Prints::Output));
        let code = "const cmd = `cat (a)`;\nconst r = await tools.exec_command({cmd, yield_time_ms: 1});\ntext(JSON.stringify(r));";
        assert_eq!(parse_script(code), command(json!({"cmd": "cat (a)"}), Prints::Otherwise));
        assert_eq!(parse_script("ls -la"), command(json!({"cmd": "ls -la"}), Prints::Output));
        assert_eq!(parse_script("text(1 + 1)"), Script::Other);
    }

    #[test]
    fn patches_and_many_calls_are_found() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        let code = format!("const p = {};\ntext(await tools.apply_patch(p));", json!(patch));
        assert_eq!(parse_script(&code), Script::Patch(patch.to_owned()));
        let code = "await tools.exec_command({cmd:'ls'}); await tools.exec_command({\"cmd\": \"sed -i s/a/b/ f\", \"workdir\":\"/shop/w\"})";
        assert_eq!(parse_script(code), Script::Many("ls\n(cd '/shop/w' && sed -i s/a/b/ f)".to_owned()));
    }
}
