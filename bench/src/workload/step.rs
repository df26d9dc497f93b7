//! One step: an answer with a tool call, and the call's result.

use lookback_engine::{
    NewPart,
    trace::{
        ResultData, ToolResult,
        result::{EditData, Hunk, LineForm, ReadData, RunData, SearchData, SearchMatch},
    },
};

use crate::text::Text;

/// How large results are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sizes {
    /// 300 to 600 bytes.
    Small,
    /// Mostly small; a fifth of some kilobytes, one in fourteen above 8 KiB (where the store makes blobs), up to 256 KiB.
    Mixed,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) call: String,
    pub(crate) answer: Vec<NewPart>,
    pub(crate) result: ToolResult,
}

impl Step {
    pub(crate) fn new(text: &mut Text, sizes: Sizes, planted: Option<String>) -> Self {
        let bytes = sizes.pick(text);
        let kind = if planted.is_some() { 0 } else { text.random.below(20) };
        let (name, arguments, result) = match kind {
            0..=8 => run(text, bytes, planted),
            9..=14 => read(text, bytes),
            15..=17 => search(text, bytes),
            _ => edit(text, bytes),
        };
        let call = format!("toolu_{}", text.hex(24));
        let says = NewPart::Text(text.sentence(14));
        let answer = vec![says, NewPart::Call { id: call.clone(), name: name.into(), arguments }];
        Self { call, answer, result }
    }
}

impl Sizes {
    fn pick(self, text: &mut Text) -> usize {
        let random = &mut text.random;
        match (self, random.below(100)) {
            (Self::Small, _) | (Self::Mixed, 0..60) => random.between(300, 520),
            (_, 60..80) => random.between(1 << 10, 4 << 10),
            (_, 80..93) => random.between(4 << 10, 8 << 10),
            (_, 93..99) => random.between(8 << 10, 32 << 10),
            _ => random.between(32 << 10, 256 << 10),
        }
    }
}

fn run(text: &mut Text, bytes: usize, planted: Option<String>) -> (&'static str, String, ToolResult) {
    let command = format!("cargo test -p {} {}", text.word().to_owned(), text.identifier());
    let mut output = text.output(bytes);
    if let Some(line) = planted {
        output.push_str(&line);
        output.push('\n');
    }
    let data = RunData {
        command: command.clone(),
        exit_code: Some(i32::from(text.random.below(5) == 0)),
        ..RunData::default()
    };
    ("Bash", format!(r#"{{"command":"{command}"}}"#), ToolResult::success(output, ResultData::Run(data)))
}

fn read(text: &mut Text, bytes: usize) -> (&'static str, String, ToolResult) {
    let path = text.path().to_owned();
    let first_line = text.random.between(1, 400) as u32;
    let mut output = String::with_capacity(bytes + 120);
    let mut line_count = 0;
    while output.len() < bytes {
        output.push_str(&format!("{:>6}→{}\n", first_line + line_count, text.code_line()));
        line_count += 1;
    }
    let arguments = format!(r#"{{"path":"{path}","offset":{first_line}}}"#);
    let data = ReadData {
        path,
        first_line,
        line_count,
        total_lines: Some(first_line + line_count + 100),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: Some(1_763_100_000_000),
        truncated: false,
    };
    ("Read", arguments, ToolResult::success(output, ResultData::Read(data)))
}

fn search(text: &mut Text, bytes: usize) -> (&'static str, String, ToolResult) {
    let pattern = text.identifier();
    let (mut output, mut matches) = (String::with_capacity(bytes + 120), Vec::new());
    // What Grep shows is limited, whatever there is to find.
    while output.len() < bytes.min(8 << 10) {
        let found = SearchMatch {
            path: text.path().to_owned(),
            line: text.random.between(1, 900) as u32,
            text: text.code_line(),
        };
        output.push_str(&format!("{}:{}:{}\n", found.path, found.line, found.text));
        matches.push(found);
    }
    let arguments = format!(r#"{{"pattern":"{pattern}"}}"#);
    let data = SearchData { pattern, match_count: matches.len() as u32, matches, truncated: false };
    ("Grep", arguments, ToolResult::success(output, ResultData::Search(data)))
}

fn edit(text: &mut Text, bytes: usize) -> (&'static str, String, ToolResult) {
    let path = text.path().to_owned();
    let first_line = text.random.between(1, 400) as u32;
    let removed: Vec<String> = (0..3).map(|_| text.code_line()).collect();
    let mut added = Vec::new();
    while added.iter().map(String::len).sum::<usize>() < bytes.min(2 << 10) {
        added.push(text.code_line());
    }
    let output = format!("edited {path}:{first_line} (+{} −3)\n{}\n", added.len(), added.join("\n"));
    let arguments = format!(r#"{{"path":"{path}","old":"{}","new":"{}"}}"#, removed.join("\\n"), added.join("\\n"));
    let data = EditData { path, hunks: vec![Hunk { first_line, removed, added }] };
    ("Edit", arguments, ToolResult::success(output, ResultData::Edit(data)))
}
