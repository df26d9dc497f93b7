//! The page of a replay in a real browser: every column inside the window, every chart drawn, nothing said on its console.
//!
//! `.ci/browser` finds a Chromium; in CI it installs one.

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{foreign::sessions::ALL, person::Person};

const FRAMES: &str = include_str!("browsed.html");

#[test]
fn the_page_is_whole_in_a_browser() {
    let Some(browser) = browser() else { return };
    let person = Person::new();
    let home = person.home.path();
    // All agents, and one long session: the sample.
    let mut command = person.command(&["replay", "--report", "page.html", "--strategies"]);
    command.args(["all", concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sample-session.jsonl")]);
    for (label, _, text) in ALL {
        let path = home.join(format!("{label}.session"));
        fs::write(&path, text).expect("a file");
        command.arg(path);
    }
    let said = Person::said(command.current_dir(home).output());
    assert_eq!(said.code, Some(0), "{}", said.err);
    let page = fs::read_to_string(home.join("page.html")).expect("a page");
    // A tag inside the text would end the script that holds it.
    let text = serde_json::to_string(&page).expect("text").replace("</", "<\\/");
    let frames = home.join("frames.html");
    fs::write(&frames, FRAMES.replace("/*PAGE*/", &text)).expect("a file");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", home.join("profile").display()))
        .arg(format!("file://{}", frames.display()))
        .stderr(Stdio::null())
        .output()
        .expect("a browser that starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    let found = shown.split_once("<pre id=\"found\">").and_then(|(_, found)| found.split_once("</pre>"));
    let found = found.unwrap_or_else(|| panic!("the browser found nothing: {shown}")).0.replace("&amp;", "&");
    let found: Vec<Value> = serde_json::from_str(&found.replace("&lt;", "<").replace("&gt;", ">")).expect("JSON");
    assert_eq!(found.len(), 3);
    for frame in found {
        assert_eq!(frame["outside"], Value::Array(Vec::new()), "{frame}");
        // On a tablet the widest tables are scrolled.
        let may_be_cut =
            |table: &Value| frame["width"] == 768 && (table == "More measures" || table == "Every session");
        assert!(frame["cut"].as_array().is_some_and(|tables| tables.iter().all(may_be_cut)), "{frame}");
        assert_eq!(frame["said"], Value::Array(Vec::new()), "{frame}");
        assert_eq!((&frame["empty"], &frame["scrolls"]), (&0.into(), &false.into()), "{frame}");
        // A picture of cost and recall, one of bills, and one of contexts for every agent.
        assert!(frame["charts"].as_u64() >= Some(3 * ALL.len() as u64), "{frame}");
        assert!(frame["cells"].as_u64() > Some(500), "{frame}");
    }
}

fn browser() -> Option<String> {
    let found =
        Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/browser")).stderr(Stdio::inherit()).output();
    let found = found.expect("a script that starts");
    if found.status.success() {
        return Some(String::from_utf8_lossy(&found.stdout).trim().to_owned());
    }
    assert!(std::env::var_os("CI").is_none(), "no browser, and none could be installed");
    // Past the test runner, which shows the output of failed tests only.
    let text = b"\nSKIPPED browsed: no Chromium here, so the page is not looked at\n";
    std::io::stderr().write_all(text).expect("standard error");
    None
}
