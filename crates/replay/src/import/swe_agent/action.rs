//! Actions written as text: a command of the agent's own interface, or anything for the shell.
//!
//! The text has no names for its arguments; they get those that other agents use. Nothing is added that the model did not
//! write, such as the path of the file that is open.

use lookback_engine::shell::{Script, Word};
use serde_json::{Value, json};

pub(super) fn parse_action(action: &str) -> (String, Value) {
    let action = action.trim();
    let (first, rest) = action.split_once(char::is_whitespace).unwrap_or((action, ""));
    let Some(words) = words(rest).or_else(|| (first == "edit").then(Vec::new)) else { return shell(action) };
    let word = |index: usize| words.get(index).map(String::as_str);
    let arguments = match (first, words.len()) {
        ("open", 1 | 2) => object([("path", word(0)), ("line_number", word(1))]),
        ("goto", 1) => object([("line_number", word(0)), ("", None)]),
        ("scroll_up" | "scroll_down", 0) => json!({}),
        ("search_dir" | "search_file", 1 | 2) => object([("pattern", word(0)), ("path", word(1))]),
        ("find_file", 1 | 2) => object([("pattern", word(0)), ("path", word(1))]),
        ("create", 1) => object([("path", word(0)), ("", None)]),
        ("edit", _) => match edit(rest) {
            Some(arguments) => arguments,
            None => return shell(action),
        },
        _ => return shell(action),
    };
    (first.to_owned(), arguments)
}

fn shell(action: &str) -> (String, Value) {
    ("bash".to_owned(), json!({ "command": action }))
}

fn object(fields: [(&str, Option<&str>); 2]) -> Value {
    let field = |(key, value): (&str, Option<&str>)| Some((key.to_owned(), Value::String(value?.to_owned())));
    Value::Object(fields.into_iter().filter_map(field).collect())
}

/// `edit 10:20\ntext\nend_of_edit`; a later interface has `edit 'old' 'new'`.
fn edit(rest: &str) -> Option<Value> {
    let (range, text) = rest.split_once('\n').unwrap_or((rest, ""));
    if let Some((first, last)) = range.trim().split_once(':') {
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        let text = text.trim_end().strip_suffix("end_of_edit").unwrap_or(text);
        let text = text.strip_suffix('\n').unwrap_or(text);
        return Some(json!({ "start_line": first, "end_line": last, "replacement": text }));
    }
    match words(rest)?.as_slice() {
        [old, new] => Some(json!({ "old_string": old, "new_string": new })),
        [old, new, all] if all == "replace-all" => Some(json!({ "old_string": old, "new_string": new })),
        _ => None,
    }
}

/// Words as a shell would split them, where they are those of one command.
fn words(text: &str) -> Option<Vec<String>> {
    let script = Script::parse(text);
    let mut commands = script.commands();
    let words = commands.next().map(|command| command.words.iter().map(Word::text).collect()).unwrap_or_default();
    commands.next().is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_interface_have_names() {
        let cases = [
            ("open \"src/a b.py\" 12\n", "open", json!({"path": "src/a b.py", "line_number": "12"})),
            ("goto 40", "goto", json!({"line_number": "40"})),
            ("scroll_down", "scroll_down", json!({})),
            ("search_dir 'def x' src", "search_dir", json!({"pattern": "def x", "path": "src"})),
            ("search_file TODO", "search_file", json!({"pattern": "TODO"})),
            ("find_file a.py", "find_file", json!({"pattern": "a.py"})),
            ("create x.py\n", "create", json!({"path": "x.py"})),
            (
                "edit 3:4\n  a\n  b\nend_of_edit",
                "edit",
                json!({"start_line": 3, "end_line": 4, "replacement": "  a\n  b"}),
            ),
            ("edit 'x = 1' 'x = 2\ny'", "edit", json!({"old_string": "x = 1", "new_string": "x = 2\ny"})),
            ("python x.py && ls", "bash", json!({"command": "python x.py && ls"})),
            ("open a b c", "bash", json!({"command": "open a b c"})),
            ("edit nothing", "bash", json!({"command": "edit nothing"})),
        ];
        for (action, name, arguments) in cases {
            assert_eq!(parse_action(action), (name.to_owned(), arguments), "{action}");
        }
    }
}
