//! The earlier pieces in which something occurs.

use std::{ops::Deref, rc::Rc};

use crate::conversation::Call;

use super::is_before;

/// In order. The first of all pieces with the text where nobody went back: steps that need the same thing share them.
#[derive(Debug, Clone)]
pub struct SeenIn {
    pieces: Rc<[usize]>,
    count: usize,
}

impl SeenIn {
    pub(super) fn before(call: &Call<'_>, pieces: &Rc<[usize]>) -> Self {
        match &call.before[..] {
            [range] if range.start == 0 => {
                Self { pieces: Rc::clone(pieces), count: pieces.partition_point(|piece| *piece < range.end) }
            }
            _ => pieces.iter().copied().filter(|piece| is_before(call, *piece)).collect(),
        }
    }
}

impl FromIterator<usize> for SeenIn {
    fn from_iter<T: IntoIterator<Item = usize>>(pieces: T) -> Self {
        let pieces: Rc<[usize]> = pieces.into_iter().collect();
        Self { count: pieces.len(), pieces }
    }
}

impl Deref for SeenIn {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.pieces[..self.count]
    }
}
