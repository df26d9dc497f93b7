//! The session that the example tells: two failing tests of a small ledger, their causes, and a wish that follows.
//!
//! The model's replies and the tools' outputs are written here by hand.

use std::error::Error;

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    card::{Cards, Lifetime},
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult,
        result::{EditData, Hunk, LineForm, ReadData, RunData, SearchData, SearchMatch},
    },
};
use lookback_tokens::count_o200k;
use lookback_wire::ToolSpec;
use serde_json::{Value, json};

type Done = Result<(), Box<dyn Error>>;

const LEDGER: &str = include_str!("files/ledger.py.txt");
const MONEY: &str = include_str!("files/money.py.txt");
const REPORT: &str = include_str!("files/report.py.txt");
const TESTS: &str = include_str!("files/test_ledger.py.txt");
const WITH_CENTS: &str = "    return f\"{cents // 100}.{cents % 100:02}\"";
const TWO_FAIL: &str = include_str!("files/two_fail.txt");
const ONE_FAILS: &str = include_str!("files/one_fails.txt");

pub(crate) struct Story {
    pub(crate) session: Session,
    clock: i64,
}

impl Story {
    pub(crate) fn begin() -> Result<Self, Box<dyn Error>> {
        let schema = |fields: Value| json!({ "type": "object", "properties": fields }).to_string();
        let text = json!({ "type": "string" });
        let tool = |name: &str, description: &str, parameters: String| ToolSpec {
            name: name.into(),
            description: description.into(),
            parameters,
        };
        let setup = SessionSetup {
            system:
                "You are a careful engineer. Trust the newest state and the anchors first; Recall raw detail by its \
                     pointer; do not read again what a block shows."
                    .into(),
            tools: vec![
                tool("Read", "Reads a file.", schema(json!({ "path": text }))),
                tool("Grep", "Searches files.", schema(json!({ "pattern": text, "path": text }))),
                tool("Edit", "Replaces a text.", schema(json!({ "path": text, "old": text, "new": text }))),
                tool("Bash", "Runs a command.", schema(json!({ "command": text }))),
                tool("Recall", "Brings back what a pointer names.", schema(json!({ "pointer": text }))),
            ],
            rules: "Never change a test to make it pass.".into(),
            model: "claude-sonnet-4-5".into(),
            tokenizer: "o200k".into(),
            root: "ledger".into(),
            ..SessionSetup::new(SessionId("workbench000".into()))
        };
        let clock = 1_763_200_000_000;
        let context = Context { now: Timestamp(clock), count: &count_o200k, blobs: &NoBlobs };
        let mut session = Session::start(setup, &context)?;
        let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml"))?;
        if let Some(card) = cards.find("claude-sonnet-4-5") {
            session.use_card(card.clone(), Lifetime::Usual);
        }
        Ok(Self { session, clock })
    }

    /// Lets the engine do something four seconds later.
    pub(crate) fn tell<T>(&mut self, what: impl FnOnce(&mut Session, &Context<'_>) -> T) -> T {
        self.clock += 4_000;
        what(&mut self.session, &Context { now: Timestamp(self.clock), count: &count_o200k, blobs: &NoBlobs })
    }

    /// The failing tests are found, explained and repaired.
    pub(crate) fn repair(&mut self) -> Done {
        self.user("fix the failing ledger tests, don't touch the tests")?;
        self.run("I'll run the tests first.", "pytest -q", 1, TWO_FAIL)?;
        self.run("", "python -m ledger.report 2026-10 --all", 0, &report("2026-10", 150, false))?;
        self.read("", "tests/test_ledger.py", TESTS)?;
        self.read("", "src/ledger.py", LEDGER)?;
        self.grep("", "startswith", &[("src/ledger.py", 22), ("src/ledger.py", 31)])?;
        self.edit(
            "balance() uses startswith, so \"cash-reserve\" is counted as \"cash\".",
            "src/ledger.py",
            22,
            line_of(LEDGER, 22),
            "        return sum(e.amount for e in self.entries if e.account == account)",
        )?;
        self.run("", "pytest -q tests/test_ledger.py", 1, ONE_FAILS)?;
        self.read("", "src/money.py", MONEY)?;
        self.run("", "python -c 'print(round(2.5), round(3.5))'", 0, "2 4\n")?;
        self.edit(
            "The cause is round(): it rounds half to even, and invoices round half up.",
            "src/money.py",
            9,
            line_of(MONEY, 9),
            "    return int((Decimal(amount) * 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))",
        )?;
        self.run(
            "",
            "pytest -q",
            0,
            "...........                                              [100%]\n11 passed in 0.09s\n",
        )?;
        self.answer("All 11 tests pass: balance() compares accounts exactly, and to_cents() rounds half up.")
    }

    /// A second wish, half done.
    pub(crate) fn wish(&mut self) -> Done {
        self.user("good. now let the monthly report show cents, like 12.50")?;
        self.read("", "src/report.py", REPORT)?;
        self.grep("", "format_amount", &[("src/report.py", 14), ("src/report.py", 27)])?;
        self.run("", "python -m ledger.report 2026-10", 0, &report("2026-10", 28, false))?;
        self.edit("format_amount() drops the cents with //.", "src/report.py", 15, line_of(REPORT, 15), WITH_CENTS)?;
        self.run("", "python -m ledger.report 2026-10", 0, &report("2026-10", 28, true))?;
        self.run(
            "",
            "pytest -q",
            0,
            "...........                                              [100%]\n11 passed in 0.09s\n",
        )
    }

    /// And what follows from it.
    pub(crate) fn aftermath(&mut self) -> Done {
        self.run("Negative amounts need a look.", "python -c 'print(-1250 // 100, -1250 % 100)'", 0, "-13 50\n")?;
        self.edit(
            "-12.50 would be printed as -13.50.",
            "src/report.py",
            15,
            WITH_CENTS,
            "    return f\"{'-' * (cents < 0)}{abs(cents) // 100}.{abs(cents) % 100:02}\"",
        )?;
        self.run("", "python -m ledger.report 2026-10", 0, &report("2026-10", 28, true))?;
        for month in ["2026-07", "2026-08", "2026-09"] {
            self.run("", &format!("python -m ledger.report {month}"), 0, &report(month, 28, true))?;
        }
        Ok(())
    }

    /// The rest of the day: enough to fold once more.
    pub(crate) fn delivery(&mut self) -> Done {
        self.run("", "git diff --stat", 0, " src/report.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n")?;
        self.answer("The monthly report shows cents, and negative amounts keep their sign.")?;
        self.user("thanks. please add a test for negative amounts")?;
        self.read("", "tests/test_ledger.py", TESTS)?;
        self.run("", "python -m ledger.report 2026-06", 0, &report("2026-06", 60, true))?;
        self.run(
            "",
            "pytest -q",
            0,
            "............                                             [100%]\n12 passed in 0.10s\n",
        )?;
        self.run("", "git status --short", 0, " M src/report.py\n M tests/test_ledger.py\n")?;
        self.answer("Done: 12 tests pass, one of them with a negative amount.")
    }

    fn user(&mut self, text: &str) -> Done {
        self.tell(|session, now| session.user_turn(text, Origin::Person, now))?;
        Ok(())
    }

    fn answer(&mut self, text: &str) -> Done {
        self.tell(|session, now| {
            session.start_call(now)?;
            session.assistant_turn(vec![NewPart::Text(text.into())], Stop::End, now)
        })?;
        Ok(())
    }

    fn step(&mut self, says: &str, tool: &str, arguments: Value, result: ToolResult) -> Done {
        self.tell(|session, now| {
            let id = format!("call_{}", session.start_call(now)?);
            let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
            let says = (!says.is_empty()).then(|| NewPart::Text(says.into()));
            session.assistant_turn(says.into_iter().chain([call]).collect(), Stop::End, now)?;
            session.tool_result(&id, result, now)
        })?;
        Ok(())
    }

    fn run(&mut self, says: &str, command: &str, exit: i32, output: &str) -> Done {
        let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        let result = ToolResult::success(output.to_owned(), ResultData::Run(data));
        self.step(says, "Bash", json!({ "command": command }), result)
    }

    fn read(&mut self, says: &str, path: &str, content: &str) -> Done {
        let lines = content.lines().count() as u32;
        let numbered: String =
            (1..).zip(content.lines()).map(|(number, line)| format!("{number:>6}→{line}\n")).collect();
        let read = ReadData {
            path: path.into(),
            first_line: 1,
            line_count: lines,
            total_lines: Some(lines),
            form: LineForm::Numbered { separator: "→".into() },
            mtime: None,
            truncated: false,
        };
        self.step(says, "Read", json!({ "path": path }), ToolResult::success(numbered, ResultData::Read(read)))
    }

    fn grep(&mut self, says: &str, pattern: &str, places: &[(&str, u32)]) -> Done {
        let found = |(path, line): &(&str, u32)| SearchMatch {
            path: (*path).into(),
            line: *line,
            text: line_of(content_of(path), *line).into(),
        };
        let matches: Vec<SearchMatch> = places.iter().map(found).collect();
        let text: String =
            matches.iter().map(|found| format!("{}:{}:{}\n", found.path, found.line, found.text)).collect();
        let match_count = matches.len() as u32;
        let search = SearchData { pattern: pattern.into(), match_count, matches, truncated: false };
        self.step(
            says,
            "Grep",
            json!({ "pattern": pattern, "path": "src" }),
            ToolResult::success(text, ResultData::Search(search)),
        )
    }

    fn edit(&mut self, says: &str, path: &str, line: u32, removed: &str, added: &str) -> Done {
        let arguments = json!({ "path": path, "old": removed.trim(), "new": added.trim() });
        let hunk = Hunk { first_line: line, removed: vec![removed.into()], added: vec![added.into()] };
        let edit = EditData { path: path.into(), hunks: vec![hunk] };
        let result = ToolResult::success(format!("edited {path}:{line} (+1 −1)"), ResultData::Edit(edit));
        self.step(says, "Edit", arguments, result)
    }
}

fn line_of(content: &'static str, number: u32) -> &'static str {
    content.lines().nth(number as usize - 1).unwrap_or_default()
}

fn content_of(path: &str) -> &'static str {
    match path {
        "src/ledger.py" => LEDGER,
        "src/money.py" => MONEY,
        "src/report.py" => REPORT,
        _ => TESTS,
    }
}

fn report(month: &str, rows: u32, with_cents: bool) -> String {
    let day = |number: u32| format!("{month}-{:02}", number % 30 + 1);
    let row = |number: u32| match with_cents {
        true => {
            format!("{}  invoice {}       {}.{:02}\n", day(number), 4_000 + number, 12 + number, number * 3 % 100)
        }
        false => format!("{}  invoice {}       {}\n", day(number), 4_000 + number, 12 + number),
    };
    (1..=rows).map(row).collect()
}
