//! A markdown table with a heading and a note, ready to be pasted into a document.

use std::fmt;

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) note: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, note: impl Into<String>, columns: &[&'static str]) -> Self {
        Self { title: title.into(), note: note.into(), columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const CELLS: usize>(&mut self, cells: [String; CELLS]) {
        self.rows.push(cells.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {}\n\n{}\n", self.title, self.note)?;
        writeln!(f, "| {} |", self.columns.join(" | "))?;
        let ruler: Vec<&str> = (0..self.columns.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
        writeln!(f, "|{}|", ruler.join("|"))?;
        for row in &self.rows {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}
