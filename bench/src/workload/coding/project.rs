//! The files of a made-up service: an agent reads, searches and edits the same lines again and again.

use super::names;
use crate::random::Random;

const CRATES: [&str; 6] = ["billing", "ledger", "gateway", "reports", "tax", "scheduler"];
const FILES_PER_CRATE: usize = 6;

#[derive(Debug)]
pub(super) struct Project {
    pub(super) files: Vec<SourceFile>,
}

#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) package: &'static str,
    pub(super) path: String,
    pub(super) lines: Vec<String>,
    pub(super) functions: Vec<String>,
}

impl Project {
    pub(super) fn new(random: &mut Random) -> Self {
        let file = |number: usize, random: &mut Random| {
            let package = CRATES[number % CRATES.len()];
            let path = format!("crates/{package}/src/{}_{}.rs", names::noun(random), names::noun(random));
            SourceFile::new(package, path, random)
        };
        let mut files: Vec<SourceFile> =
            (0..CRATES.len() * FILES_PER_CRATE).map(|number| file(number, random)).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files.dedup_by(|one, other| one.path == other.path);
        Self { files }
    }

    /// Every line that holds `pattern`, as `(path, number, text)`.
    pub(super) fn search(&self, pattern: &str) -> Vec<(&str, u32, &str)> {
        let lines = |file: &SourceFile| file.lines.len();
        let all = self.files.iter().flat_map(|file| (0..lines(file)).map(move |at| (file, at)));
        let found = all.filter(|(file, at)| file.lines[*at].contains(pattern));
        found.map(|(file, at)| (file.path.as_str(), at as u32 + 1, file.lines[at].as_str())).collect()
    }
}

impl SourceFile {
    fn new(package: &'static str, path: String, random: &mut Random) -> Self {
        let mut file = Self { package, path, lines: Vec::new(), functions: Vec::new() };
        let (kind, other) = (names::kind(random), names::kind(random));
        file.push(format!("//! Keeps each {} of a {}.", names::variable(random), names::variable(random)));
        file.push("");
        file.push("use std::collections::BTreeMap;");
        file.push(format!("use crate::{}::{other};", names::noun(random)));
        file.push("");
        file.push("#[derive(Debug, Clone, PartialEq)]");
        file.push(format!("pub struct {kind} {{"));
        for _ in 0..random.between(3, 8) {
            let of = ["u64", "String", "Option<i64>", "Vec<String>", "BTreeMap<String, i64>"];
            file.push(format!("    pub {}: {},", names::variable(random), random.pick(&of)));
        }
        file.push("}");
        file.push("");
        file.push(format!("impl {kind} {{"));
        for _ in 0..random.between(12, 22) {
            file.push_function(&other, random);
        }
        file.push("}");
        file
    }

    fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn push_function(&mut self, other: &str, random: &mut Random) {
        let name = names::function(random);
        let (given, limit) = (names::variable(random), random.between(2, 900));
        self.push(format!("    /// Gives the {} of a {}.", names::variable(random), names::variable(random)));
        self.push(format!("    pub fn {name}(&mut self, {given}: &{other}) -> Result<i64, Error> {{"));
        self.functions.push(name);
        for _ in 0..random.between(2, 6) {
            for line in statement(&given, limit, random) {
                self.push(format!("        {line}"));
            }
        }
        self.push(format!("        Ok(self.{}({given})? + {limit})", names::function(random)));
        self.push("    }");
        self.push("");
    }
}

/// One statement of a function that was given `given`.
pub(super) fn statement(given: &str, limit: usize, random: &mut Random) -> Vec<String> {
    let (one, two, call) = (names::variable(random), names::variable(random), names::function(random));
    match random.below(6) {
        0 => vec![format!("let {one} = self.{call}({given}, {limit})?;")],
        1 => vec![
            format!("if {given}.{one} > {limit} {{"),
            format!("    return Err(Error::{}({given}.{two}));", names::kind(random)),
            "}".into(),
        ],
        2 => vec![
            format!("for {one} in self.{two}.iter().filter(|each| each.{one} != {given}.{two}) {{"),
            format!("    self.{call}({one})?;"),
            "}".into(),
        ],
        3 => vec![
            format!("let {one} = match {given}.{two} {{"),
            format!("    Some({two}) => {two}.{call}(),"),
            format!("    None => {}::default(),", names::kind(random)),
            "};".into(),
        ],
        4 => vec![format!("self.{one}.insert({given}.{two}.clone(), {limit});")],
        _ => vec![
            format!("// A {} may come before its {}: then the {} wins.", names::noun(random), names::noun(random), two),
            format!("tracing::debug!({one} = %{given}.{one}, \"{} {}\");", call.replace('_', " "), names::noun(random)),
        ],
    }
}
