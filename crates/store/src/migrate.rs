//! Brings a database to the newest schema, one numbered step and one transaction at a time.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{StoreError, search};

struct Step {
    sql: &'static str,
    fill: Option<Fill>,
}

/// What SQL cannot do.
type Fill = fn(&Transaction<'_>) -> Result<(), StoreError>;

const STEPS: [Step; 3] = [
    Step { sql: include_str!("migrations/0001_trace.sql"), fill: None },
    Step { sql: include_str!("migrations/0002_search.sql"), fill: Some(search::index_everything) },
    Step { sql: include_str!("migrations/0003_recordings.sql"), fill: None },
];

/// The newest `user_version` that this code reads and writes.
pub(crate) const SUPPORTED: u32 = STEPS.len() as u32;

pub(crate) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    for (step, version) in STEPS.iter().zip(1_u32..) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let current: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if current >= version {
            continue;
        }
        transaction.execute_batch(step.sql)?;
        if let Some(fill) = step.fill {
            fill(&transaction)?;
        }
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}
