//! Lists of long sessions, which grow by a part of their length instead of doubling: doubling leaves up to half of their
//! memory unused, and a session has many such lists.

use crate::configuration::memory::{GROWTH_LEAST, GROWTH_PART};

/// Appends; now and then this moves the list to a place that is a little larger.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / GROWTH_PART + GROWTH_LEAST);
    }
    list.push(item);
}
