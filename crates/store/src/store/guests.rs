//! What a gateway asks the store about conversations of other programs.

use lookback_wire::body::Link;

use super::Store;
use crate::{
    GuestFold, GuestPlace, StoreError,
    guests::{find_folds, find_place, write_place},
};

impl Store {
    /// Remembers how far conversations have come. Durable when it returns.
    pub fn remember_guests(&self, places: &[GuestPlace]) -> Result<(), StoreError> {
        self.writing(|connection| places.iter().try_for_each(|place| write_place(connection, place)))
    }

    /// The conversation that shares most of a chain.
    pub fn find_guest(&self, chain: &[Link]) -> Result<Option<GuestPlace>, StoreError> {
        let longest_first = chain.iter().rev();
        self.reading(|connection| {
            longest_first.map(|link| find_place(connection, link)).find_map(Result::transpose).transpose()
        })
    }

    /// What stands in the place of the messages of a chain, oldest first.
    pub fn find_folds(&self, chain: &[Link]) -> Result<Vec<GuestFold>, StoreError> {
        self.reading(|connection| find_folds(connection, chain))
    }

    /// Whether a block stands in any conversation.
    pub fn has_folds(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM guest_folds)";
        self.reading(|connection| Ok(connection.query_row(sql, [], |row| row.get(0))?))
    }

    /// Another number as soon as another process has written.
    pub fn version(&self) -> Result<i64, StoreError> {
        Ok(self.database().writing().query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}
