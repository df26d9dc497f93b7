//! The rules for declared tools, which the three JSON protocols share but for where the fields stand.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Rule, Violation, json::is_identifier};

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    tools: Vec<Tool>,
}

/// Tools of a provider's own (searches, editors) have a type of their own and no schema: they are passed over.
#[derive(Deserialize)]
struct Tool {
    #[serde(rename = "type")]
    kind: Option<String>,
    function: Option<Declared>,
    #[serde(flatten)]
    declared: Declared,
}

#[derive(Default, Deserialize)]
struct Declared {
    #[serde(default)]
    name: String,
    #[serde(alias = "input_schema")]
    parameters: Option<Value>,
}

pub(super) fn check(body: &[u8]) -> Vec<Violation> {
    // Tools that cannot be read at all were reported already.
    let Ok(body) = serde_json::from_slice::<Body>(body) else { return Vec::new() };
    let mut names = BTreeSet::new();
    let mut violations = Vec::new();
    for tool in body.tools {
        if !matches!(tool.kind.as_deref(), None | Some("function" | "custom")) {
            continue;
        }
        let Declared { name, parameters } = tool.function.unwrap_or(tool.declared);
        if !is_identifier(&name) {
            violations.push(Violation::new(0, Rule::BadToolName { name: name.clone() }));
        }
        let is_object = parameters.is_none_or(|schema| schema.get("type").and_then(Value::as_str) == Some("object"));
        if !is_object {
            violations.push(Violation::new(0, Rule::SchemaNotObject { name: name.clone() }));
        }
        if !names.insert(name.clone()) {
            violations.push(Violation::new(0, Rule::DuplicateTool { name }));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(tools: &str) -> Vec<Rule> {
        check(format!("{{\"tools\":[{tools}]}}").as_bytes()).into_iter().map(|violation| violation.rule).collect()
    }

    #[test]
    fn tools_are_named_once_and_take_objects() {
        let good = r#"{"name":"Read","input_schema":{"type":"object"}}"#;
        assert_eq!(refused(good), []);
        assert_eq!(refused(&format!("{good},{good}")), [Rule::DuplicateTool { name: "Read".into() }]);
        let chat = r#"{"type":"function","function":{"name":"a.b","parameters":{"type":"object"}}}"#;
        assert_eq!(refused(chat), [Rule::BadToolName { name: "a.b".into() }]);
        let responses = r#"{"type":"function","name":"Read","parameters":{}}"#;
        assert_eq!(refused(responses), [Rule::SchemaNotObject { name: "Read".into() }]);
        assert_eq!(refused(r#"{"type":"web_search_20250305","name":"web_search"}"#), []);
    }
}
