//! Proposals as the parser reads them, where their own shape is another.

use serde::{Serialize, Serializer, ser::Error};
use serde_json::{Value, json};

use super::{AnchorPlace, AnchorProposal, Edit};
use crate::trace::decision::TurnRange;

pub(super) fn range<S: Serializer>(range: &Option<TurnRange>, serializer: S) -> Result<S::Ok, S::Error> {
    range.map(|range| json!({ "start_turn": range.first, "end_turn": range.last })).serialize(serializer)
}

impl Serialize for AnchorProposal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mut anchor, lines) = match &self.place {
            AnchorPlace::Lines { path, lines } => (json!({ "path": path }), Some(*lines)),
            AnchorPlace::Pointer { pointer, lines } => (json!({ "pointer": pointer }), *lines),
        };
        if let Some(lines) = lines {
            anchor["start_line"] = json!(lines.first);
            anchor["end_line"] = json!(lines.last);
        }
        if let Some(snippet) = &self.snippet {
            anchor["snippet"] = json!(snippet);
        }
        anchor.serialize(serializer)
    }
}

impl<T: Serialize> Serialize for Edit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |item: &T| serde_json::to_value(item).map_err(S::Error::custom);
        let edit = match self {
            Self::Add(item) => value(item)?,
            Self::Revise { id, to } => {
                let mut item = value(to)?;
                item["id"] = Value::String(id.clone());
                item
            }
            Self::Retract { id, evidence } => json!({ "id": id, "retract": true, "evidence": evidence }),
        };
        edit.serialize(serializer)
    }
}
