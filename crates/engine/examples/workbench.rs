//! A small coding session, recorded step by step: what the model is sent for two providers, what a second call reuses,
//! and a line that comes back from the raw trace by its pointer.
//!
//! `cargo run --release -p lookback-engine --example workbench`, and with `-- --trace` the events themselves, one a line,
//! for `lookback import`.
//!
//! The model's replies and the tools' outputs are written here by hand; numbers, views, reuse and recall are the
//! engine's.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "an example shows something"
)]

use std::error::Error;

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    evidence::pointer::Pointer,
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult,
        result::{EditData, Hunk, LineForm, ReadData, RunData},
    },
};
use lookback_wire::{Provider, ToolSpec};

const WIDTH: usize = 104;
const ROWS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let session = record()?;
    if std::env::args().any(|argument| argument == "--trace") {
        for event in session.trace() {
            println!("{}", serde_json::to_string(event)?);
        }
        return Ok(());
    }
    println!("A session of {} turns, kept as {} events.\n", session.turns(), session.trace().len());

    for provider in [Provider::Anthropic, Provider::React] {
        show_second_call(&session, provider)?;
    }

    println!("What each call could reuse of the one before (tokens by o200k, bytes as for anthropic):\n");
    println!("  call   reused tokens   written tokens   reused bytes   written bytes   why not all");
    for line in session.ledger().lines() {
        let why = line.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        println!(
            "  {:>4}   {:>13}   {:>14}   {:>12}   {:>13}   {why}",
            line.call, line.reused.tokens, line.written.tokens, line.reused.bytes, line.written.bytes
        );
    }

    println!("\nAnd back to the raw trace:");
    let pointers = [
        "file:src/ledger.py:L21-L22",
        "file:src/ledger.py:L22@turn#4",
        "cmd#1 exit=1",
        "test#1 failed:tests/test_ledger.py::test_balance_is_exact",
    ];
    for pointer in pointers {
        let parsed: Pointer = pointer.parse()?;
        let recalled = session.recall(&parsed.place, &NoBlobs)?;
        let turn = recalled.turn.map(|turn| format!("turn#{turn}")).unwrap_or_default();
        println!("\n  {pointer}   (seen in {turn})");
        for piece in &recalled.pieces {
            String::from_utf8_lossy(&piece.bytes).lines().for_each(|line| println!("    │ {line}"));
        }
    }
    let refused: Pointer = "cmd#1 exit=0".parse()?;
    if let Err(error) = session.recall(&refused.place, &NoBlobs) {
        println!("\n  {refused}   refused: {error}");
    }
    Ok(())
}

/// The prompt of the last call, each part marked: `=` stood in the call before, `+` is new.
fn show_second_call(session: &Session, provider: Provider) -> Result<(), Box<dyn Error>> {
    let calls: Vec<usize> =
        (0..session.trace().len()).filter(|at| session.trace()[*at].event.name() == "call_started").collect();
    let sent = |call: usize| -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
        let events = session.trace()[..=calls[call]].to_vec();
        let session = Session::replay_for(events, Some(provider), &NoBlobs)?;
        Ok(session.sent().parts().map(<[u8]>::to_vec).collect())
    };
    let (before, now) = (sent(0)?, sent(1)?);
    println!("Call 2 as it is sent to {provider}: = the same bytes as in call 1, + new\n");
    for (place, part) in now.iter().enumerate() {
        let mark = if before.get(place) == Some(part) { '=' } else { '+' };
        let text = String::from_utf8_lossy(part);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        for (row, line) in lines.iter().enumerate() {
            if row == ROWS {
                println!("  {mark} … {} more lines", lines.len() - row);
                break;
            }
            let shown: String = line.chars().take(WIDTH).collect();
            let more = if line.chars().count() > WIDTH { " …" } else { "" };
            println!("  {mark} {shown}{more}");
        }
    }
    println!();
    Ok(())
}

fn record() -> Result<Session, Box<dyn Error>> {
    let tokenizer = bpe_openai::o200k_base();
    let count = |bytes: &[u8]| tokenizer.count(String::from_utf8_lossy(bytes).as_ref()) as u32;
    let mut clock = 1_763_200_000_000;
    let mut tick = || {
        clock += 4_000;
        Context { now: Timestamp(clock), count: &count, blobs: &NoBlobs }
    };

    let setup = SessionSetup {
        system: "You are a careful engineer in /srv/ledger. Trust the newest state and the anchors; Recall the rest."
            .into(),
        tools: vec![
            tool(
                "Read",
                "Reads a file.",
                r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#,
            ),
            tool(
                "Edit",
                "Replaces a text.",
                r#"{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"]}"#,
            ),
            tool(
                "Bash",
                "Runs a command.",
                r#"{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}"#,
            ),
        ],
        rules: "Never change a test to make it pass.".into(),
        model: "example-model".into(),
        tokenizer: "o200k".into(),
        root: "ledger".into(),
        ..SessionSetup::new(SessionId("workbench000".into()))
    };
    let mut session = Session::start(setup, &tick())?;

    session.user_turn("fix the failing ledger test, don't touch the test", Origin::Person, &tick())?;
    let pytest = "F..                                                                  [100%]\n\
        tests/test_ledger.py:14: AssertionError: 150 != 100\n\
        FAILED tests/test_ledger.py::test_balance_is_exact - AssertionError: 150 != 100\n\
        1 failed, 2 passed in 0.08s\n";
    step(
        &mut session,
        "I'll look at the failing test first.",
        "Bash",
        r#"{"command":"pytest -q"}"#,
        run("pytest -q", 1, pytest),
        &mut tick,
    )?;

    let file = [
        "    def balance(self, account):",
        "        return sum(e.amount for e in self.entries if e.account.startswith(account))",
        "",
    ];
    let numbered: String = (21..).zip(file).map(|(number, line)| format!("{number:>6}→{line}\n")).collect();
    let read = ReadData {
        path: "src/ledger.py".into(),
        first_line: 21,
        line_count: 3,
        total_lines: Some(38),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    step(
        &mut session,
        "",
        "Read",
        r#"{"path":"src/ledger.py"}"#,
        ToolResult::success(numbered, ResultData::Read(read)),
        &mut tick,
    )?;

    let fixed = "        return sum(e.amount for e in self.entries if e.account == account)";
    let hunk = Hunk { first_line: 22, removed: vec![file[1].into()], added: vec![fixed.into()] };
    let edit = EditData { path: "src/ledger.py".into(), hunks: vec![hunk] };
    let says = "balance() uses startswith, so \"cash-reserve\" is counted as \"cash\".";
    let arguments = r#"{"path":"src/ledger.py","old":"e.account.startswith(account)","new":"e.account == account"}"#;
    step(
        &mut session,
        says,
        "Edit",
        arguments,
        ToolResult::success("edited src/ledger.py:22 (+1 −1)", ResultData::Edit(edit)),
        &mut tick,
    )?;
    step(
        &mut session,
        "",
        "Bash",
        r#"{"command":"pytest -q"}"#,
        run("pytest -q", 0, "...  [100%]\n3 passed in 0.07s\n"),
        &mut tick,
    )?;

    session.start_call(&tick())?;
    session.assistant_turn(
        vec![NewPart::Text("All three tests pass; balance() now compares accounts exactly.".into())],
        Stop::End,
        &tick(),
    )?;
    Ok(session)
}

fn step<'a>(
    session: &mut Session,
    says: &str,
    name: &str,
    arguments: &str,
    result: ToolResult,
    tick: &mut impl FnMut() -> Context<'a>,
) -> Result<(), Box<dyn Error>> {
    let call = session.start_call(&tick())?;
    let id = format!("call_{call}");
    let mut parts = vec![NewPart::Call { id: id.clone(), name: name.into(), arguments: arguments.into() }];
    if !says.is_empty() {
        parts.insert(0, NewPart::Text(says.into()));
    }
    session.assistant_turn(parts, Stop::End, &tick())?;
    session.tool_result(&id, result, &tick())?;
    Ok(())
}

fn run(command: &str, exit: i32, output: &str) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    ToolResult::success(output, ResultData::Run(data))
}

fn tool(name: &str, description: &str, parameters: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: description.into(), parameters: parameters.into() }
}
