//! Read.

use std::{
    fs::{self, File},
    os::unix::fs::{FileExt, symlink},
    time::{Duration, SystemTime},
};

use lookback_engine::{
    evidence::lines_in,
    trace::{Part, Status, result::LineForm},
};
use serde_json::json;

use super::*;

#[test]
fn lines_stand_behind_their_numbers() {
    let bench = Bench::new(&[("src/a.rs", "one\n\ttwo\n\nfour\n")]);
    let result = bench.run(ToolName::Read, json!({ "path": "src/a.rs" }));
    assert_eq!(text(&result), "1\tone\n2\t\ttwo\n3\t\n4\tfour\n");
    let read = data!(result, Read);
    assert_eq!((read.first_line, read.line_count, read.total_lines, read.truncated), (1, 4, Some(4), false));
    assert_eq!(read.form, LineForm::Numbered { separator: "\t".to_owned() });
    let seen = text(&result);
    let lines: Vec<_> = lines_in(seen.as_bytes(), &read.form, 1).into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, ["one", "\ttwo", "", "four"], "the engine sees the file's own lines");
    assert!(read.mtime.is_some_and(|mtime| mtime > 0));
    let context = result.context.unwrap();
    assert_eq!((&context["path_resolved"], &context["params_input"]["path"]), (&json!("src/a.rs"), &json!("src/a.rs")));
    assert!(result.stats.unwrap()["time_ms"].is_u64());
}

#[test]
fn a_range_says_what_follows() {
    let text: String = (1..=5000).map(|line| format!("line {line}\n")).collect();
    let bench = Bench::new(&[("long", &text)]);
    let whole = bench.run(ToolName::Read, json!({ "path": "long" }));
    assert_eq!(whole.status, Status::Partial);
    assert!(data!(whole, Read).truncated);
    let shown = super::text(&whole);
    assert!(shown.ends_with("2000\tline 2000\n(lines 1 to 2000 of 5000; offset 2001 shows what follows)\n"), "{shown}");

    let part = bench.run(ToolName::Read, json!({ "path": "long", "offset": 4999, "limit": 1 }));
    assert_eq!(part.status, Status::Success, "what was asked for was given");
    assert_eq!(super::text(&part), "4999\tline 4999\n(lines 4999 to 4999 of 5000; offset 5000 shows what follows)\n");
    assert_eq!(bench.text(ToolName::Read, json!({ "path": "long", "offset": 5000 })), "5000\tline 5000\n");
    let beyond = bench.error(ToolName::Read, json!({ "path": "long", "offset": 5001 }));
    assert_eq!(beyond, "INVALID_PARAM: long has 5000 lines, so none at offset 5001");
}

#[test]
fn long_lines_and_much_text_are_cut() {
    let bench = Bench::new(&[("wide", &format!("{}\nend\n", "x".repeat(1 << 20)))]);
    let result = bench.run(ToolName::Read, json!({ "path": "wide" }));
    assert_eq!(result.status, Status::Partial);
    let shown = text(&result);
    assert!(shown.starts_with("1 (the first 2000 characters of 1048576 bytes)\txxx"), "{}", &shown[..60]);
    assert!(shown.ends_with("x\n2\tend\n(long lines are cut; a command such as cut -c shows the rest of one)\n"));

    bench.put("big", format!("{}\n", "y".repeat(999)).repeat(1500));
    let result = bench.run(ToolName::Read, json!({ "path": "big", "limit": 1500 }));
    assert_eq!(result.status, Status::Partial, "less than was asked for");
    assert!(result.text.len() < 300 << 10);
    assert!(text(&result).contains("of 1500; offset "));
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let bench = Bench::new(&[("empty", "")]);
    let result = bench.run(ToolName::Read, json!({ "path": "empty" }));
    assert_eq!(text(&result), "(the file is empty)\n");
    assert_eq!(data!(result, Read).total_lines, Some(0));
}

#[test]
fn encodings_are_read_and_named() {
    let bench = Bench::new(&[]);
    bench.put("utf16", b"\xFF\xFEh\0i\0\n\0");
    assert_eq!(bench.text(ToolName::Read, json!({ "path": "utf16" })), "1\thi\n(read as UTF-16LE)\n");
    bench.put("mark", b"\xEF\xBB\xBFhi\r\nyou\r\n");
    assert_eq!(bench.text(ToolName::Read, json!({ "path": "mark" })), "1\thi\n2\tyou\n");
    bench.put("gbk", b"\xD5\xE2\xCA\xC7\xD2\xBB\xB8\xF6\xD6\xD0\xCE\xC4\xCE\xC4\xBC\xFE\n");
    assert_eq!(bench.text(ToolName::Read, json!({ "path": "gbk" })), "1\t这是一个中文文件\n(read as GBK)\n");
    bench.put("broken", b"\xC3\xA4\xC3\xB6 and \xFF\n");
    let broken = "1\täö and \u{FFFD}\n(bytes that are not UTF-8 are shown as \u{FFFD})\n";
    assert_eq!(bench.text(ToolName::Read, json!({ "path": "broken" })), broken);
}

#[test]
fn what_is_no_text_is_named() {
    let bench = Bench::new(&[]);
    bench.put("program", b"\x7fELF\x02\x01\0\0");
    let binary = bench.error(ToolName::Read, json!({ "path": "program" }));
    assert!(binary.starts_with("BINARY_FILE: program is binary (8 bytes)"), "{binary}");
    bench.put("paper.pdf", b"%PDF-1.7\n\0\0");
    let pdf = bench.run(ToolName::Read, json!({ "path": "paper.pdf" }));
    assert!(text(&pdf).starts_with("paper.pdf: a PDF of 11 bytes"));
    assert_eq!(data!(pdf, Other)["media_type"], "application/pdf");
}

#[test]
fn a_picture_is_a_part_of_the_result() {
    let bench = Bench::new(&[]);
    let picture = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x01\0".to_vec(), vec![7; 99_984]].concat();
    bench.put("shot.png", &picture);
    let result = bench.run(ToolName::Read, json!({ "path": "shot.png" }));
    assert_eq!(text(&result), "shot.png: a picture (image/png, 100008 bytes)");
    let parts = result.as_came.unwrap().parts;
    let [Part::Text { start: 0, end: 45 }, Part::Image(image)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!((image.media_type.as_str(), &image.bytes.bytes(&NoBlobs).unwrap()[..]), ("image/png", &picture[..]));
    bench.put("huge.png", [&picture[..], &vec![0; 6 << 20]].concat());
    let huge = bench.run(ToolName::Read, json!({ "path": "huge.png" }));
    assert!(text(&huge).ends_with("too large to be shown"));
    assert!(huge.as_came.is_none());
}

#[test]
fn seed_a8_a_second_read_tells_of_a_change_from_outside() {
    let bench = Bench::new(&[("a", "one\n")]);
    let read = || bench.text(ToolName::Read, json!({ "path": "a" }));
    assert_eq!(read(), "1\tone\n");
    File::open(bench.at("a")).unwrap().set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
    assert_eq!(read(), "1\tone\n", "the same bytes at another time are no change");
    bench.put("a", "two\n");
    assert_eq!(read(), "Note: a was modified externally.\n1\ttwo\n");
    assert_eq!(read(), "1\ttwo\n");
    bench.text(ToolName::Edit, json!({ "path": "a", "old_string": "two", "new_string": "three" }));
    assert_eq!(read(), "1\tthree\n", "our own change is none from outside");
}

#[test]
fn two_gigabytes_are_read_in_little_memory() {
    let bench = Bench::new(&[("huge", "first\nsecond\n")]);
    let file = File::options().write(true).open(bench.at("huge")).unwrap();
    // The head is text, the rest is one line of zeros that takes no space on the disk.
    file.write_all_at("x\n".repeat(64 << 10).as_bytes(), 13).unwrap();
    file.set_len(2 << 30).unwrap();
    let result = bench.run(ToolName::Read, json!({ "path": "huge", "limit": 2 }));
    assert_eq!(text(&result), "1\tfirst\n2\tsecond\n(lines 1 to 2; offset 3 shows what follows)\n");
    assert_eq!(data!(result, Read).total_lines, None, "nobody counted them");
    // Far enough to see that nothing of it is held.
    file.set_len(128 << 20).unwrap();
    let far = bench.run(ToolName::Read, json!({ "path": "huge", "offset": 65_539 }));
    assert!(text(&far).contains("\n65539 (the first 2000 characters of 134086643 bytes)\t"), "{:.120}", text(&far));
    assert!(most_memory().is_none_or(|bytes| bytes < 100 << 20), "{:?}", most_memory());
    let edit = json!({ "path": "huge", "old_string": "first", "new_string": "1st" });
    assert!(bench.error(ToolName::Edit, edit).starts_with("INVALID_PARAM: huge is larger than 64 MB"));
    let stopped = bench.tools.run(ToolName::Read, &json!({ "path": "huge", "offset": 999_999 }), &|| true);
    assert_eq!(stopped.error.unwrap().code, "EXECUTION_ERROR");
}

#[test]
fn places_that_cannot_be_read_say_why() {
    let bench = Bench::new(&[("src/a", "a")]);
    fs::write(bench.temp.path().join("secret"), "key").unwrap();
    symlink("../secret", bench.at("link")).unwrap();
    let error = |path: &str| bench.error(ToolName::Read, json!({ "path": path }));
    assert_eq!(error("none"), "NOT_FOUND: none does not exist");
    assert_eq!(error("src/a/b"), "NOT_FOUND: src/a/b has a file where a folder should be");
    assert_eq!(error("src"), "IS_DIRECTORY: src is a folder: LS lists it");
    assert_eq!(error("link"), "ACCESS_DENIED: link is outside the project");
    assert_eq!(error("/etc/passwd"), "ACCESS_DENIED: /etc/passwd is outside the project");
    assert_eq!(error(&"x".repeat(300)), format!("INVALID_PARAM: {} is too long for a path", "x".repeat(300)));
    let unknown = bench.error(ToolName::Read, json!({ "path": "src/a", "lines": 3 }));
    assert!(unknown.starts_with("INVALID_PARAM: unknown field `lines`"), "{unknown}");
    assert!(bench.error(ToolName::Read, json!({})).starts_with("INVALID_PARAM: missing field `path`"));
}

#[test]
fn several_read_at_once() {
    let bench = Bench::new(&[("a", "a\n"), ("b", "b\n")]);
    std::thread::scope(|scope| {
        for name in ["a", "b", "a", "b"] {
            let bench = &bench;
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(bench.text(ToolName::Read, json!({ "path": name })), format!("1\t{name}\n"));
                }
            });
        }
    });
}

/// What this process has ever held, where the system tells.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok().map(|kilobytes: u64| kilobytes << 10)
}
