//! `lookback replay` as a person runs it: on the sample, on files, on what other agents left on the machine.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use lookback_replay::recording::Format;

use crate::{
    foreign::sessions::{ALL, CLAUDE_CODE, claude_code},
    person::{Person, Said},
};

/// In a folder of its own, on a machine on which no agent has left anything.
fn replay(person: &Person, arguments: &[&str]) -> Said {
    Person::said(command(person, arguments).output())
}

fn command(person: &Person, arguments: &[&str]) -> Command {
    let mut command = person.command(&[&["replay"], arguments].concat());
    command.current_dir(person.home.path()).env("HOME", person.home.path()).stdin(Stdio::null());
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(variable);
    }
    command
}

fn write(person: &Person, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = person.home.path().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path.to_str().expect("text").to_owned()
}

/// Every number stands as `9`: what is compared is what a person reads around them.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        match character {
            '0'..='9' if shown.ends_with('9') => {}
            '0'..='9' => shown.push('9'),
            '.' | ',' if shown.ends_with('9') => shown.push(character),
            _ => shown.push(character),
        }
    }
    shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn without_recorded_sessions_the_sample_is_replayed() {
    let person = Person::new();
    let said = replay(&person, &[]);
    insta::assert_snapshot!("replay_sample", without_numbers(&said.shown()));
    assert!(said.out.starts_with(" You paid $1.86 for 64 calls.\n With Lookback: $"), "{}", said.out);
    let append = said.out.lines().find(|line| line.starts_with(" append")).expect("a row");
    assert!(append.contains("1.00   1.000         0"), "{append}");
    let page = fs::read_to_string(person.home.path().join("lookback-replay.html")).expect("a page");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{}", &page[..40]);
    assert!(!page.contains("http://") || !page.contains("src=\"http"), "the page needs no network");
    let left: Vec<_> =
        fs::read_dir(person.home.path()).expect("a folder").flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["lookback-replay.html"], "nothing else is written");
}

#[test]
fn two_runs_print_the_same_bytes() {
    let person = Person::new();
    for text in ALL.map(|(label, _, text)| (label, text)) {
        write(&person, &format!("sessions/{}.json", text.0), text.1);
    }
    let run = || replay(&person, &["sessions", "--json", "--report", "page.html"]);
    let page = || fs::read(person.home.path().join("page.html")).expect("a page");
    let (first, first_page) = (run(), page());
    assert_eq!(first.json()["sessions"].as_array().map(Vec::len), Some(ALL.len()), "{}", first.err);
    assert_eq!((run().out, page()), (first.out.clone(), first_page));
    let files: Vec<_> =
        first.json()["sessions"].as_array().expect("a list").iter().map(|s| s["file"].clone()).collect();
    assert!(files.is_sorted_by_key(|file| file.to_string()), "{files:?}");
}

#[test]
fn every_format_is_replayed_whatever_its_file_is_called() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let id = person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    let trace = person.run(&["show", &id, "--trace", "--json"]).out;
    let mut sessions: Vec<(&str, u32, &str)> = ALL.to_vec();
    sessions.push(("Lookback", 3, &trace));
    let names: Vec<&str> = sessions.iter().map(|(label, ..)| *label).collect();
    for format in Format::ALL {
        assert!(names.contains(&format.label()), "no session of {}", format.label());
    }
    for (label, calls, text) in sessions {
        let path = write(&person, "a-file", text);
        let said = replay(&person, &[&path, "--json"]);
        let session = said.json()["sessions"][0].clone();
        assert_eq!(session["format"].as_str(), Format::ALL.iter().find(|f| f.label() == label).map(|f| f.name()));
        assert_eq!(session["calls"], calls, "{label}");
        let strategies = session["strategies"].as_object().expect("an object");
        assert_eq!(strategies.len(), 13, "{label}");
        for (name, figures) in strategies {
            assert_eq!(figures["invalid_views"], 0, "{label}, {name}");
            assert_eq!(figures["recall"], 1.0, "{label}, {name}: so short a session is shown whole");
        }
    }
}

#[test]
fn compressed_sessions_are_replayed_as_they_are_plain() {
    let person = Person::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(CLAUDE_CODE.as_bytes()).expect("memory");
    let files: [(&str, Vec<u8>); 3] = [
        ("one.jsonl", CLAUDE_CODE.into()),
        ("one.jsonl.gz", gzip.finish().expect("memory")),
        ("one.jsonl.zst", zstd::encode_all(CLAUDE_CODE.as_bytes(), 3).expect("memory")),
    ];
    let [plain, gzip, zstd] = files.map(|(name, bytes)| {
        let path = write(&person, name, bytes);
        replay(&person, &[&path, "--json"]).json()["sessions"][0]["strategies"].clone()
    });
    assert!(plain.as_object().is_some_and(|strategies| strategies.len() == 13));
    assert_eq!((&gzip, &zstd), (&plain, &plain));
}

#[test]
fn programs_get_one_object() {
    let person = Person::new();
    let report = replay(&person, &["--json"]).json();
    assert!(!person.home.path().join("lookback-replay.html").exists(), "a program asks for the page with --report");
    let session = &report["sessions"][0];
    assert_eq!((session["format"].as_str(), session["calls"].as_u64()), (Some("claude-code"), Some(64)));
    for bill in ["billed", "predicted"] {
        assert!(session[bill]["cached_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{bill}");
    }
    assert!(session["paid_usd"].as_f64().is_some_and(|dollars| dollars > 0.0));
    let strategies = session["strategies"].as_object().expect("an object");
    for name in [
        "append",
        "head-summary",
        "mask",
        "mask-batched",
        "clear-tools",
        "settle",
        "lookback",
        "lookback-fixed",
        "oracle",
    ] {
        for key in [
            "cost",
            "cost_usd",
            "repaired_usd",
            "tokens",
            "repair_tokens",
            "vs_append",
            "repaired",
            "repaired_vs_append",
            "repairs_per_call",
            "recall",
            "pointer_recall",
            "direct_pointer_recall",
            "recall_by_kind",
            "drift",
            "competitive_ratio",
            "over_window",
            "prefix_reuse",
            "context_mean",
            "context_peak",
            "task_snr",
            "folds",
            "evidence",
            "refused",
            "invalid_views",
        ] {
            assert!(strategies[name].get(key).is_some(), "{name}: {key}");
        }
        assert_eq!(strategies[name]["invalid_views"], 0, "{name}");
    }
    assert_eq!(strategies["append"]["vs_append"], 1.0);
    assert!(strategies["lookback"]["competitive_ratio"].as_f64().is_some_and(|ratio| (1.0..=2.0).contains(&ratio)));
}

#[test]
fn strategies_and_prices_can_be_chosen() {
    let person = Person::new();
    let names = |arguments: &[&str]| {
        let report = replay(&person, &[&["--json"], arguments].concat()).json();
        let session = &report["sessions"][0];
        let names: Vec<String> = session["strategies"].as_object().expect("an object").keys().cloned().collect();
        (
            names.join(" "),
            session["prices"].as_str().expect("a name").to_owned(),
            session["strategies"]["append"]["cost"].clone(),
        )
    };
    let (chosen, prices, five_minutes) = names(&["--strategies", "mask,clear-tools"]);
    assert_eq!((chosen.as_str(), prices.as_str()), ("append clear-tools mask", "anthropic, 5-minute cache"));
    let (_, prices, hour) = names(&["--strategies", "mask", "--ttl", "1h"]);
    assert_eq!(prices, "anthropic, 1-hour cache");
    assert_ne!(five_minutes, hour);
    assert_eq!(names(&["--strategies", "append", "--prices", "deepseek"]).1, "deepseek");
    assert_eq!(names(&["--strategies", "append", "--prices", "gpt-5.6-terra"]).1, "gpt-5.6-terra");
    let card = concat!(env!("CARGO_MANIFEST_DIR"), "/../../prices/qwen.toml");
    assert!(names(&["--strategies", "append", "--prices", card]).1.contains("qwen.toml"));
    assert!(
        replay(&person, &["--prices", "nobody"]).complaint().contains("name a provider (anthropic, openai, deepseek")
    );
    assert!(replay(&person, &["--prices", "llama-3"]).complaint().contains("costs nothing by the token"));
    let unknown = replay(&person, &["--strategies", "magic"]).complaint();
    assert!(
        unknown.contains("unknown strategy \"magic\": choose append, head-summary, anthropic-compact"),
        "{unknown}"
    );
}

#[test]
fn what_a_person_set_is_what_is_measured() {
    let person = Person::new();
    let set = |text: &str| {
        let file = write(&person, "config.toml", text);
        Person::said(
            command(&person, &["--json", "--prices", "anthropic", "--ttl", "5m"]).env("LOOKBACK_CONFIG", file).output(),
        )
    };
    let cost = |said: &Said| said.json()["sessions"][0]["strategies"]["lookback"]["cost"].as_f64().expect("a cost");
    let usual = set("model = \"claude-sonnet-4-5\"\n");
    assert!(!usual.err.contains("[context]"), "{}", usual.err);
    let hour = set("[context]\ncache = \"1h\"\n");
    assert!(hour.err.contains("lookback is measured with the [context] of "), "{}", hour.err);
    assert_ne!(cost(&usual), cost(&hour));
    assert!(set("[context]\ncash = 1\n").complaint().contains("cash"));
}

#[test]
fn a_real_bill_is_compared_at_its_own_prices_only() {
    let person = Person::new();
    let billed = |arguments: &[&str]| {
        let said = replay(&person, &[&["--strategies", "append"], arguments].concat());
        said.out.lines().find(|line| line.starts_with(" paid ")).map(str::to_owned)
    };
    assert!(billed(&[]).expect("a row").contains("$1.86     100%       0.99"));
    assert_eq!(billed(&["--prices", "deepseek"]), None, "what was billed by Anthropic is no bill of DeepSeek");
    // Old files of Codex do not name the model.
    let nameless = ALL[1].2.replace(r#""model":"#, r#""was":"#);
    let report = replay(&person, &["--json", "--strategies", "append", &write(&person, "old.jsonl", nameless)]).json();
    assert_eq!(report["checks"][0]["provider"], "openai");
    assert_eq!(report["sessions"][0]["model"], serde_json::Value::Null);
}

#[test]
fn each_session_is_billed_by_its_own_provider() {
    let person = Person::new();
    let paths: Vec<String> = ALL.iter().map(|(label, _, text)| write(&person, label, text)).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let report = replay(&person, &[&["--json", "--strategies", "append"], paths.as_slice()].concat()).json();
    let billed: Vec<_> = report["sessions"].as_array().expect("a list").iter().map(|s| s["prices"].clone()).collect();
    let anthropic = "anthropic, 5-minute cache";
    assert_eq!(
        billed,
        [anthropic, "openai", anthropic, anthropic, "gemini, its cache not understood", "deepseek", anthropic]
    );
}

#[test]
fn what_is_no_session_is_said_and_left_out() {
    let person = Person::new();
    let session = write(&person, "one.jsonl", CLAUDE_CODE);
    let other = write(&person, "notes.jsonl", "hello\n");
    let said = replay(&person, &[&other, &session, "--json"]);
    assert_eq!(said.json()["sessions"].as_array().map(Vec::len), Some(1));
    assert!(
        said.err.contains("notes.jsonl: no known session format") && said.err.contains("; left out"),
        "{}",
        said.err
    );
    let said = replay(&person, &[&other]);
    assert_eq!(said.code, Some(1));
    assert!(said.complaint().contains("nothing could be read: 1 file"));
    assert!(!person.home.path().join("lookback-replay.html").exists());
    assert!(replay(&person, &["nowhere.jsonl"]).complaint().contains("there is no file nowhere.jsonl, and no session"));
}

#[test]
fn stored_sessions_are_replayed_like_their_files() {
    let person = Person::new();
    let file = write(&person, "one.jsonl", CLAUDE_CODE);
    person.import(CLAUDE_CODE).shown();
    let id = person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    let of = |what: &str| {
        let report = replay(&person, &[what, "--json", "--strategies", "append"]).json();
        let session = report["sessions"][0].clone();
        (
            session["calls"].clone(),
            session["billed"]["input_tokens"].clone(),
            session["strategies"]["append"]["recall"].clone(),
        )
    };
    assert_eq!(of(&id), of(&file));
    let out = replay(&person, &[&id]).out;
    assert!(out.contains(" 1 session · Claude Code · 3 calls"), "whoever imported it, it is its agent's: {out}");
    // So is the trace of a session in a file.
    let trace = write(&person, "trace.jsonl", person.run(&["show", &id, "--trace", "--json"]).out);
    assert_eq!(of(&trace), of(&file));
}

#[test]
fn what_agents_left_on_the_machine_is_read_only_with_consent() {
    let person = Person::new();
    write(&person, ".claude/projects/-w/one.jsonl", claude_code("one"));
    write(&person, ".claude/projects/-w/one/subagents/agent-1.jsonl", claude_code("sub"));
    write(&person, ".codex/sessions/2026/05/01/rollout.jsonl", ALL[1].2);
    write(&person, ".local/share/opencode/storage/session/p/ses_9.json", r#"{"id":"ses_9","directory":"/w"}"#);
    let asked = replay(&person, &[]).complaint();
    assert!(asked.contains("Claude Code      1 session") && asked.contains("Codex"), "{asked}");
    assert!(asked.contains("use --yes to read them") && asked.contains("opencode"), "{asked}");
    let said = replay(&person, &["--yes", "--json"]);
    let formats: Vec<_> =
        said.json()["sessions"].as_array().expect("a list").iter().map(|s| s["format"].clone()).collect();
    assert_eq!(formats, ["claude-code", "codex"], "{}", said.err);
}

#[test]
fn the_table_fits_sixty_columns() {
    let person = Person::new();
    let output = command(&person, &["--strategies", "mask,lookback"]).env("COLUMNS", "60").output();
    let said = Person::said(output);
    for line in said.out.lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
    assert!(said.out.contains("of append") && said.out.contains("recall"), "{}", said.out);
}

#[test]
fn screens_are_the_same_text_at_every_width_with_and_without_colours() {
    let person = Person::new();
    let several: Vec<String> = ALL.iter().map(|(label, _, text)| write(&person, label, text)).collect();
    let several: Vec<&str> = several.iter().map(String::as_str).collect();
    let screen = |columns: u32, arguments: &[&str], colours: &str| {
        let mut command = command(&person, arguments);
        let said = Person::said(command.env("COLUMNS", columns.to_string()).env(colours, "1").output());
        for line in said.out.replace("\u{1b}[1;32m", "").replace("\u{1b}[0m", "").lines() {
            assert!(line.chars().count() <= columns as usize, "{columns}: {line}");
        }
        said.out
    };
    for columns in [60, 80, 120] {
        let plain = screen(columns, &[], "NO_COLOR");
        insta::assert_snapshot!(format!("screen_sample_{columns}"), plain);
        let coloured = screen(columns, &[], "CLICOLOR_FORCE");
        assert!(coloured.contains("\u{1b}[1;32m lookback "), "{coloured}");
        assert_eq!(coloured.replace("\u{1b}[1;32m", "").replace("\u{1b}[0m", ""), plain);
        insta::assert_snapshot!(format!("screen_agents_{columns}"), screen(columns, &several, "NO_COLOR"));
    }
}

/// Codex was billed less than any strategy costs here: no other row is called the best.
#[test]
fn the_best_row_is_what_was_paid_where_that_is_the_cheapest() {
    let person = Person::new();
    let file = write(&person, "one.jsonl", ALL[1].2);
    let said = Person::said(command(&person, &[&file]).env("COLUMNS", "140").env("CLICOLOR_FORCE", "1").output());
    let marked: Vec<&str> = said.out.lines().filter(|line| line.contains("\u{1b}[1;32m")).collect();
    assert_eq!(marked.len(), 1, "{}", said.out);
    assert!(marked[0].starts_with("\u{1b}[1;32m paid ") && marked[0].contains("← cheapest"), "{}", marked[0]);
}

#[test]
fn a_person_sees_five_rows_first_and_all_when_they_ask() {
    let person = Person::new();
    let rows = |arguments: &[&str]| {
        let said = replay(&person, arguments).out;
        let table = said.split(" strategy ").nth(1).expect("a table").split("\n\n").next().expect("its end").to_owned();
        table
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&[])[..5], ["append", "paid", "settle", "lookback", "oracle"]);
    let all = rows(&["--strategies"]);
    assert_eq!(all, rows(&["--strategies", "all"]));
    assert!(all.contains(&"anthropic-compact".to_owned()) && all.contains(&"codex-compact".to_owned()), "{all:?}");
}

#[test]
fn an_interruption_leaves_no_report() {
    let person = Person::new();
    let mut replay = command(&person, &["-", "--report", "page.html"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    // It waits for the rest of the session.
    let mut pipe = replay.stdin.take().expect("piped");
    pipe.write_all(CLAUDE_CODE.as_bytes()).expect("it reads");
    thread::sleep(Duration::from_millis(500));
    let killed = Command::new("kill").args(["-INT", &replay.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = replay.wait_with_output().expect("it ends");
    drop(pipe);
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "interrupted: no report was written\n");
    assert!(!Path::new(&person.home.path().join("page.html")).exists());
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let person = Person::new();
    let said = replay(&person, &["--strategies", "append", "--report", "no/such/folder/page.html"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("cannot write no/such/folder/page.html: there is no folder no/such/folder"),
        "{}",
        said.err
    );
    assert_eq!(said.out, "", "it is said before the work");
    assert!(replay(&person, &["--report", "."]).complaint().contains("it is a folder"));
}

#[test]
fn a_report_goes_over_nothing_but_a_report() {
    let person = Person::new();
    write(&person, "mine.jsonl", CLAUDE_CODE);
    let said = replay(&person, &["mine.jsonl", "--strategies", "append", "--report", "mine.jsonl"]);
    assert!(said.complaint().contains("mine.jsonl is there already and is no report"), "{}", said.err);
    let mine = std::fs::read_to_string(person.home.path().join("mine.jsonl")).expect("it is there");
    assert_eq!(mine, CLAUDE_CODE);
    for _ in 0..2 {
        let said = replay(&person, &["mine.jsonl", "--strategies", "append", "--report", "page.html"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
    }
}

#[test]
fn a_page_that_cannot_be_written_does_not_take_the_table_with_it() {
    let person = Person::new();
    // The name that a page is written under until it is whole is longer than a file system takes.
    let name = format!("{}.html", "p".repeat(250));
    let said = replay(&person, &["--strategies", "append", "--report", &name]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("cannot write ppp"), "{}", said.err);
    assert!(said.out.contains(" append ") && !said.out.contains("report:"), "{}", said.out);
}

#[test]
fn folders_are_looked_through_without_a_line_for_every_file() {
    let person = Person::new();
    write(&person, "sessions/one.jsonl", CLAUDE_CODE);
    write(&person, "sessions/empty.jsonl", "");
    write(&person, "sessions/package.json", "{}");
    let silent = CLAUDE_CODE.lines().find(|line| line.contains(r#""type":"user""#)).expect("a user's line");
    write(&person, "sessions/silent.jsonl", silent);
    let said = replay(&person, &["sessions", "--json"]);
    assert_eq!(said.json()["sessions"].as_array().map(Vec::len), Some(1), "{}", said.err);
    assert_eq!(
        said.err,
        "2 other files in the folders are no session\n1 session in the folders without any call of a model: left out\n"
    );
    fs::create_dir(person.home.path().join("bare")).expect("a folder");
    assert!(replay(&person, &["bare"]).complaint().contains("no file under bare has the name of a session"));
    let empty = write(&person, "empty.jsonl", " \n");
    assert!(replay(&person, &[&empty]).complaint().contains("empty.jsonl: the file is empty; left out"));
}

#[test]
fn a_model_that_no_card_names_is_said_with_the_one_whose_prices_are_taken() {
    let person = Person::new();
    let file = write(&person, "new.jsonl", CLAUDE_CODE.replace("claude-sonnet-4-6", "claude-new-9"));
    let said = replay(&person, &[&file]);
    let expected = "no card has prices of claude-new-9: 1 session billed at those of claude-sonnet-4-6\n";
    assert!(said.err.contains(expected), "{}", said.err);
}

#[test]
fn an_empty_name_of_a_model_is_none() {
    let person = Person::new();
    let file = write(&person, "nameless.jsonl", CLAUDE_CODE.replace("claude-sonnet-4-6", ""));
    let said = replay(&person, &[&file]);
    assert!(
        said.err.contains("1 session without the name of a model: billed at the prices of claude-"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("no card has prices of"), "{}", said.err);
}

#[test]
fn a_family_is_no_name_of_prices_and_lends_none_silently() {
    let person = Person::new();
    for name in ["claude-opus", "claude-nonsense"] {
        let complaint = replay(&person, &["--prices", name]).complaint();
        assert!(complaint.contains(&format!("no prices are called \"{name}\"")), "{complaint}");
        assert!(complaint.contains("a model (there is claude-"), "{complaint}");
    }
    let file = write(&person, "new.jsonl", CLAUDE_CODE.replace("claude-sonnet-4-6", "claude-new-9"));
    assert!(replay(&person, &[&file]).out.contains("(estimated: their models have no price card"));
    person.run(&["import", &file]).shown();
    assert!(person.run(&["sessions", "--json"]).json()[0]["cost_usd"].is_null());
}

/// Claude Code counts what it printed so far as a call's output. A copy in the store is still its session.
#[test]
fn a_stored_session_costs_what_its_file_costs() {
    let person = Person::new();
    let file = write(&person, "one.jsonl", CLAUDE_CODE.replace("\"output_tokens\":30", "\"output_tokens\":1"));
    person.run(&["import", &file]).shown();
    let id = person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    let session = |what: &str| {
        let mut session = replay(&person, &[what, "--json"]).json()["sessions"][0].clone();
        for place in ["file", "format", "pictures"] {
            session[place] = Default::default();
        }
        session
    };
    assert_eq!(session(&id), session(&file));
}

/// Strategies are billed for whole answers, and so is the row beside them: it is another sum than the sentence's.
#[test]
fn the_row_of_what_was_paid_says_that_its_answers_are_whole() {
    let person = Person::new();
    let row = |text: &str| {
        let said = replay(&person, &[&write(&person, "one.jsonl", text)]).out;
        said.lines()
            .filter(|line| line.trim_start().starts_with("paid"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(!row(CLAUDE_CODE).contains("whole answers"), "{}", row(CLAUDE_CODE));
    let partial = CLAUDE_CODE.replace("\"output_tokens\":30", "\"output_tokens\":1");
    assert!(row(&partial).contains("with whole answers"), "{}", row(&partial));
}

#[test]
fn a_time_far_from_all_others_is_no_pause() {
    let person = Person::new();
    let usual = write(&person, "usual.jsonl", CLAUDE_CODE);
    let times: Vec<&str> = CLAUDE_CODE.lines().filter(|line| line.contains("\"assistant\"")).collect();
    let at = times[2].split("\"timestamp\":\"").nth(1).expect("a time").split('"').next().expect("its end");
    let odd =
        write(&person, "odd.jsonl", CLAUDE_CODE.replace(at, "1970-01-01T00:00:00.000Z").replace("the-session", "odd"));
    let cost = |what: &str| {
        let said = replay(&person, &[what, "--json"]);
        (said.json()["sessions"][0]["strategies"]["append"]["cost_usd"].clone(), said.err)
    };
    assert_eq!(cost(&odd).0, cost(&usual).0);
    assert!(cost(&odd).1.contains("times far from all around them"), "{}", cost(&odd).1);
}
