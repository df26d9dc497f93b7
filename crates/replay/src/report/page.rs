//! The report as one HTML file: pictures, tables, and what the words mean.
//!
//! Self-contained: styles and the little script stand inside, pictures are SVG written here, nothing is fetched, so that
//! it opens from a disk without a network. Complete without its script. Whatever comes from files is escaped.

mod axis;
mod bill;
mod context;
#[cfg(test)]
#[path = "page/tests/contrast.rs"]
mod contrast;
mod html;
mod labels;
mod look;
mod moments;
mod pareto;
mod tables;

use std::collections::BTreeSet;

use axis::Size;
use html::{escape, put};

use super::{
    PAID, Report, SessionReport,
    money::{Money, sentence},
    numbers,
    summary::{APPEND, Group, LOOKBACK, Summary},
};
use crate::parameters::SESSION_PICTURES;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");
/// Defined once for the page: shape says what colour says.
const PATTERNS: &str = include_str!("page/patterns.svg");
const WORDS: &str = include_str!("page/glossary.html");

/// What every report says of itself.
pub const LIMIT: &str = "Replay measures cost and what stays in view, not whether the task would have succeeded.";

/// One self-contained file.
pub fn render_page(report: &Report) -> String {
    let summary = Summary::new(report);
    let title = numbers::counted(summary.sessions as u64, "session");
    let sections = match summary.sessions {
        0 => "<p>No session was replayed, so there is nothing to show.</p>\n".to_owned(),
        _ => [
            strategies_section(&summary),
            moments_section(report),
            bill_section(report, &summary),
            pareto_section(&summary),
            context_section(report, &summary),
            check_section(&summary),
            sessions_section(report, &summary),
        ]
        .concat(),
    };
    let (header, words) = (header(report, &summary), section("words", "What the words mean", WORDS));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Lookback replay: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         {PATTERNS}{header}<main>\n{sections}{words}</main>\n<footer><p class=\"limit\">{LIMIT}</p></footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n")
}

fn figure(caption: &str, pictures: &str) -> String {
    format!("<figure>\n<figcaption>{caption}</figcaption>\n{pictures}</figure>\n")
}

fn header(report: &Report, summary: &Summary) -> String {
    if summary.sessions == 0 {
        return format!("<header>\n<h1>Lookback replay</h1>\n<p class=\"limit\">{LIMIT}</p>\n</header>\n");
    }
    let said = sentence(report);
    let lookback = said.lookback.as_deref().unwrap_or_default();
    let mut header = format!("<header>\n<h1>{} {}</h1>\n", escape(&said.paid), escape(lookback));
    let agents = Money::by_agent(report);
    if agents.len() > 1 {
        header.push_str(&tables::agents(&agents));
    }
    header.push_str("<ul class=\"quiet\">\n");
    said.remarks.iter().for_each(|remark| put!(header, "<li>{}</li>\n", escape(remark)));
    // Each may have a comma.
    let prices: BTreeSet<String> = report.sessions.iter().map(|session| escape(&session.prices)).collect();
    let prices = prices.into_iter().collect::<Vec<_>>().join(" · ");
    let models = list(report.sessions.iter().filter_map(|session| session.model.as_deref().map(escape)));
    put!(header, "<li>{}, prices of {prices}", numbers::counted(summary.sessions as u64, "session"));
    if !models.is_empty() {
        put!(header, "; models: {models}");
    }
    let read = report.sessions.iter().filter(|session| !session.card.source.is_empty());
    let sources = list(read.map(|session| escape(&format!("{} ({})", session.card.source, session.card.date))));
    if !sources.is_empty() {
        put!(header, "; prices as read at {sources}");
    }
    put!(header, ".</li>\n</ul>\n<p class=\"limit\">{LIMIT}</p>\n</header>\n");
    header
}

/// "32 Claude Code sessions (3,740 calls, prices of anthropic)".
fn group_title(group: &Group) -> String {
    let sessions = group.members.len() as u64;
    format!(
        "{} {} session{} ({}, prices of {})",
        numbers::count(sessions),
        group.format.label(),
        if sessions == 1 { "" } else { "s" },
        numbers::counted(group.calls, "call"),
        escape(&group.prices)
    )
}

fn pareto_section(summary: &Summary) -> String {
    let mut body = String::from(
        "<p>Left is cheaper, up keeps more in view. The large mark is the cost with look-ups, the small hollow one at the other end of its bar the cost without them. Where there are several sessions, thin lines span the middle half of them. The dashed line is append.</p>\n",
    );
    for group in &summary.groups {
        let pictures = Size::both(|size| pareto::render(group, size));
        if !pictures.is_empty() {
            body.push_str(&figure(&format!("{}. Height: recall; across: cost.", group_title(group)), &pictures));
        }
    }
    section("cost-and-recall", "Cost against recall", &body)
}

fn strategies_section(summary: &Summary) -> String {
    let spread = match summary.groups.iter().any(|group| group.members.len() > 1) {
        true => {
            "Dollars are sums; the other figures of several sessions are medians, with the quartiles small beside them. "
        }
        false => "",
    };
    let mut body = format!("<p class=\"quiet\">{spread}What each column means stands at the end of the page.</p>\n");
    for group in &summary.groups {
        let (title, measures, more) = (group_title(group), tables::strategies(group), tables::more_measures(group));
        put!(body, "<h3>{title}</h3>\n{measures}<details>\n<summary>More measures</summary>\n{more}</details>\n");
        for warning in tables::warnings(group) {
            put!(body, "<p class=\"quiet warning\">{warning}</p>\n");
        }
    }
    section("strategies", "Every strategy", &body)
}

fn context_section(report: &Report, summary: &Summary) -> String {
    let mut body = String::new();
    let mut left = SESSION_PICTURES;
    for group in &summary.groups {
        let best = group.best_other().map(|other| other.name.as_str());
        let strategies: Vec<&str> = [Some(APPEND), Some(PAID), best, Some(LOOKBACK)].into_iter().flatten().collect();
        let sessions = by_closeness_to_median(report, group).into_iter().filter_map(|session| {
            let pictures = Size::both(|size| context::render(session, &strategies, size));
            let title = format!("{}, {}", tables::file(&session.file), numbers::counted(session.calls, "call"));
            (!pictures.is_empty()).then_some((title, pictures))
        });
        // Every agent is drawn once at least.
        let drawn: Vec<(String, String)> = sessions.take(left.max(1)).collect();
        left = left.saturating_sub(drawn.len());
        let Some(((title, pictures), others)) = drawn.split_first() else { continue };
        put!(body, "<h3>{}</h3>\n", group_title(group));
        let which = if group.members.len() > 1 { "A session of middle length: " } else { "" };
        body.push_str(&figure(&format!("{which}{title}."), pictures));
        if others.is_empty() {
            continue;
        }
        put!(body, "<details>\n<summary>{}</summary>\n", numbers::counted(others.len() as u64, "other session"));
        for (title, pictures) in others {
            put!(body, "<details>\n<summary>{title}</summary>\n<figure>\n{pictures}</figure>\n</details>\n");
        }
        body.push_str("</details>\n");
    }
    if body.is_empty() {
        return body;
    }
    let more = match left {
        0 if summary.sessions > SESSION_PICTURES => format!(
            " Of {} sessions, {SESSION_PICTURES} are drawn; replay fewer files to see others.",
            numbers::count(summary.sessions as u64)
        ),
        _ => String::new(),
    };
    let about = format!(
        "<p>How many tokens the prompt of each call would have had. A mark on a line: there something was folded, summarised or cleared right before the call. Where that happens very often, strokes below the picture show it instead.{more}</p>\n"
    );
    section("context", "Context per call", &(about + &body))
}

/// The session with the median number of calls first, then by the number of calls.
fn by_closeness_to_median<'a>(report: &'a Report, group: &Group) -> Vec<&'a SessionReport> {
    let mut sessions: Vec<&SessionReport> = group.members.iter().map(|place| &report.sessions[*place]).collect();
    sessions.sort_by(|one, other| (one.calls, &one.file).cmp(&(other.calls, &other.file)));
    let median = sessions.len() / 2;
    if let Some(up_to_median) = sessions.get_mut(..=median) {
        up_to_median.rotate_right(1);
    }
    sessions
}

fn bill_section(report: &Report, summary: &Summary) -> String {
    let mut body = String::new();
    for group in &summary.groups {
        let bills = bill::bills(report, group);
        let pictures = Size::both(|size| bill::render(&bills, size));
        if !pictures.is_empty() {
            body.push_str(&figure(&format!("{}, added up.", group_title(group)), &pictures));
            let table = bill::table(&bills);
            put!(body, "<details>\n<summary>The same as figures</summary>\n{table}</details>\n");
        }
    }
    if body.is_empty() {
        return body;
    }
    let about = "<p>In dollars, sessions added up, each kind of token at its price. Numbers inside a bar are shares of what was paid, or of append's bill where nobody knows that.</p>\n";
    section("bill", "The bill by kind of token", &format!("{about}{}{body}", bill::legend()))
}

fn moments_section(report: &Report) -> String {
    let Some(table) = moments::table(report) else { return String::new() };
    let about = "<p>Single calls of the sessions as they were, by what they cost, and what Lookback would have sent in their place.</p>\n";
    section("moments", "The most expensive moments", &format!("{about}{table}"))
}

fn check_section(summary: &Summary) -> String {
    let body = match summary.checks.is_empty() {
        true => "<p>None of these sessions carries the provider's bill, so the cache model could not be held against it here.</p>\n".to_owned(),
        false => format!(
            "<p>Where a session carries the provider's own bill, the cache model that bills all strategies is held against it: each prompt's billed size is taken as given, and how much of it was read from the cache is predicted.</p>\n{}",
            tables::checks(summary)
        ),
    };
    section("check", "The check: predicted against billed", &body)
}

fn sessions_section(report: &Report, summary: &Summary) -> String {
    let strategies = list(summary.groups.iter().filter_map(|group| Some(escape(&group.leading()?.name))));
    let whose = format!("<p class=\"quiet\">Figures of {strategies}.</p>\n");
    let whose = if strategies.is_empty() { String::new() } else { whose };
    section("sessions", "Every session", &(whose + &tables::sessions(report, summary)))
}

/// Each once, in order, joined for a person.
fn list(names: impl Iterator<Item = String>) -> String {
    let names: BTreeSet<String> = names.collect();
    let names: Vec<String> = names.into_iter().collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
