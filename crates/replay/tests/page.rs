//! The page as a browser gets it: complete, well-formed, self-contained, small, and safe from what files are called.

#[cfg(test)]
#[path = "page/reading.rs"]
mod reading;
#[path = "page/sample.rs"]
mod sample;

use lookback_replay::report::{BillByKind, Paid, Report, SessionReport, page::render_page};
use reading::{check_tags, section, text_of};

#[test]
fn the_page_says_in_words_what_was_replayed_and_found() {
    let page = render_page(&sample::report(3));
    let header = text_of(&page[page.find("<header>").unwrap()..page.find("</header>").unwrap()]);
    insta::assert_snapshot!(header);
}

#[test]
fn tables_read_well() {
    let page = render_page(&sample::report(3));
    let tables = ["strategies", "moments", "check", "sessions"].map(|name| text_of(section(&page, name)));
    insta::assert_snapshot!(tables.join("\n\n"));
}

#[test]
fn pictures_say_in_words_what_they_show() {
    let page = render_page(&sample::report(3));
    let labels: Vec<&str> = page
        .split("<svg class=\"desk\"")
        .skip(1)
        .map(|svg| svg.split("aria-label=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    insta::assert_snapshot!(labels.join("\n"));
}

#[test]
fn a_cache_that_nobody_understands_and_an_estimated_part_are_marked() {
    let mut report = sample::report(4);
    report.sessions[0].check = None;
    without_bill(&mut report.sessions[3]);
    let page = render_page(&report);
    let header = text_of(&page[page.find("<header>").unwrap()..page.find("</header>").unwrap()]);
    assert!(header.contains("Claude Code* cache not understood|"), "{header}");
    assert!(header.contains("Codex|"), "{header}");
    assert!(header.contains("* The cache of 1 session is not understood"), "{header}");
    let (estimated, calls) = (report.sessions[3].estimated_usd.unwrap(), report.sessions[3].calls);
    let estimated = lookback_replay::report::numbers::dollars(estimated);
    assert!(header.contains(&format!("~ {estimated} estimated|")), "{header}");
    assert!(header.contains(&format!("~ {estimated} of it is estimated: {calls} calls without a bill")), "{header}");
}

fn without_bill(session: &mut SessionReport) {
    (session.paid_usd, session.paid_whole_usd) = (None, None);
    session.estimated_usd = session.strategies["append"].cost_usd;
    session.estimated = Some(Paid { calls: session.calls, ..Paid::default() });
}

/// Who was not billed counts as in the table: with what sending everything would have cost.
#[test]
fn the_bill_by_kind_and_the_table_say_the_same_was_paid() {
    let mut report = sample::report(6);
    for session in &mut report.sessions {
        let paid = BillByKind { read: session.paid_whole_usd.unwrap(), ..BillByKind::default() };
        session.pictures.kinds.insert("paid".to_owned(), paid);
    }
    let unbilled = &mut report.sessions[3];
    without_bill(unbilled);
    unbilled.pictures.kinds.remove("paid");
    let append = unbilled.strategies["append"].cost_usd.unwrap();
    unbilled.pictures.kinds.insert("append".to_owned(), BillByKind { read: append, ..BillByKind::default() });
    let page = render_page(&report);
    let table = text_of(section(&page, "strategies"));
    let paid = table.lines().find_map(|line| line.strip_prefix("paid|")).unwrap().split('|').next().unwrap();
    assert!(section(&page, "bill").contains(&format!("paid {paid}")), "{paid}");
    assert!(section(&page, "bill").contains(&format!("{paid} · 100% of paid")), "{paid}");
}

#[test]
fn tags_are_balanced() {
    check_tags(&render_page(&sample::report(7)));
    check_tags(&render_page(&sample::report(1)));
    check_tags(&render_page(&Report::default()));
}

#[test]
fn names_and_notes_of_files_stay_text() {
    let page = render_page(&sample::report(3));
    assert!(!page.contains("<b>"));
    assert!(!page.contains("block <"));
    assert!(page.contains("title=\"logs/&lt;b&gt;bold &amp; &quot;quoted&quot;&lt;/b&gt;/a&#39;b.jsonl\""));
    assert!(page.contains("block &lt;1&gt;"));
}

#[test]
fn nothing_is_fetched() {
    let page = render_page(&sample::report(3));
    for reference in ["http", "src=", "href=", "@import", "@font-face", "<link", "fetch("] {
        assert!(!page.contains(reference), "{reference}");
    }
    // Only patterns of the page itself.
    assert!(page.match_indices("url(").all(|(at, _)| page[at..].starts_with("url(#p-")));
}

#[test]
fn every_pattern_that_is_used_is_defined() {
    let page = render_page(&sample::report(1));
    for (at, _) in page.match_indices("url(#") {
        let name = page[at + 5..].split(')').next().unwrap();
        assert_eq!(page.matches(&format!("id=\"{name}\"")).count(), 1, "{name}");
    }
}

#[test]
fn fifty_sessions_stay_below_two_megabytes() {
    let page = render_page(&sample::report(50));
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert_eq!(page.matches("<svg class=\"desk\"").count(), 50 + 2 + 2);
}

#[test]
fn two_runs_give_the_same_bytes() {
    assert_eq!(render_page(&sample::report(9)), render_page(&sample::report(9)));
}

#[test]
fn a_page_without_bills_or_pictures_says_what_is_missing() {
    let mut report = sample::report(1);
    report.sessions[0].check = None;
    report.sessions[0].pictures = Default::default();
    let page = render_page(&report);
    check_tags(&page);
    assert!(page.contains("None of these sessions carries the provider's bill"));
    assert!(!page.contains("id=\"context\"") && !page.contains("id=\"bill\"") && !page.contains("id=\"moments\""));
}
