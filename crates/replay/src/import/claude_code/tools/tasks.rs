//! The list of tasks that the task tools write entry by entry.

use lookback_engine::trace::result::{TodoItem, TodoState};
use serde_json::Value;

use crate::import::shown::todo_state;

/// What the task tools made so far, by the client's ids.
#[derive(Debug, Default)]
pub(super) struct Tasks(Vec<(String, TodoItem)>);

impl Tasks {
    /// The whole list after a call that succeeded.
    pub(super) fn apply(&mut self, tool: &str, arguments: &Value, text: &str) -> Vec<TodoItem> {
        let given = |name: &str| arguments.get(name).and_then(Value::as_str);
        match tool {
            "TaskCreate" => {
                // `Task #7 created successfully: …`
                let id = text.split_once('#').map_or("", |(_, rest)| rest);
                let id: String = id.chars().take_while(|next| !next.is_whitespace()).collect();
                let text = given("subject").unwrap_or_default().to_owned();
                self.0.push((id, TodoItem { text, state: TodoState::Pending }));
            }
            "TaskUpdate" => {
                let id = given("taskId").unwrap_or_default();
                if given("status") == Some("deleted") {
                    self.0.retain(|(known, _)| known != id);
                }
                if let Some((_, task)) = self.0.iter_mut().find(|(known, _)| known == id) {
                    if let Some(status) = given("status") {
                        task.state = todo_state(Some(status));
                    }
                    if let Some(subject) = given("subject") {
                        subject.clone_into(&mut task.text);
                    }
                }
            }
            _ => {}
        }
        self.0.iter().map(|(_, task)| task.clone()).collect()
    }
}
