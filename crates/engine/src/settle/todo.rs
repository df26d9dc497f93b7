//! The history form of a todo list: the recap only (docs/seeds.md A3). The list itself is appended to the view when it
//! changes; that is not known here.

use super::{SettleLimits, object::Object, shorten::shorten};
use crate::trace::result::{TodoItem, TodoState};

pub(super) fn settle_todo(items: &[TodoItem], limits: &SettleLimits) -> String {
    let count = |state| items.iter().filter(|item| item.state == state).count();
    let first = |state| items.iter().find(|item| item.state == state);

    let mut recap = format!("{} of {} done", count(TodoState::Done), items.len());
    if let Some(item) = first(TodoState::InProgress) {
        recap.push_str(&format!("; now: {}", shorten(&item.text, limits.characters)));
    }
    if let Some(item) = first(TodoState::Pending) {
        recap.push_str(&format!("; next: {}", shorten(&item.text, limits.characters)));
    }
    let cancelled = count(TodoState::Cancelled);
    if cancelled > 0 {
        recap.push_str(&format!("; {cancelled} cancelled"));
    }
    let mut data = Object::new();
    data.field("recap", recap);
    data.end()
}
