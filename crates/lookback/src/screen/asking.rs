//! A question that only a person can answer.

use std::io::{self, BufRead, IsTerminal};

/// Whether the person agrees; none where there is nobody to ask.
pub(crate) fn ask(question: &str) -> io::Result<Option<bool>> {
    if !io::stdin().is_terminal() {
        return Ok(None);
    }
    super::remark(&format!("{question} [y/N]"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
}
