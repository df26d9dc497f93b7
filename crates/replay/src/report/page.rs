//! The report as one HTML file: pictures, tables, and what the words mean.
//!
//! Self-contained: styles and the little script stand inside, pictures are SVG written here, nothing is fetched, so that
//! it opens from a disk without a network. Complete without its script. Whatever comes from files is escaped.

mod axis;
mod bill;
mod context;
#[cfg(test)]
mod contrast;
mod glossary;
mod html;
mod labels;
mod look;
mod moments;
mod pareto;
mod tables;

use std::collections::BTreeSet;

use axis::Size;
use html::{escape, write_to};

use super::{
    Report, SessionReport, numbers,
    summary::{APPEND, Group, LOOKBACK, Summary},
};
use crate::parameters::SESSION_PICTURES;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");

/// What every report says of itself.
pub const LIMIT: &str = "Replay measures cost and what stays in view, not whether the task would have succeeded.";

/// One self-contained file.
pub fn render_page(report: &Report) -> String {
    let summary = Summary::new(report);
    let mut page = String::new();
    page.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    write_to(
        &mut page,
        format_args!("<title>Lookback replay: {}</title>\n", numbers::counted(summary.sessions as u64, "session")),
    );
    write_to(&mut page, format_args!("<style>\n{STYLE}</style>\n</head>\n<body>\n{}", bill::PATTERNS));
    page.push_str(&header(report, &summary));
    page.push_str("<main>\n");
    if summary.sessions == 0 {
        page.push_str("<p>No session was replayed, so there is nothing to show.</p>\n");
    } else {
        page.push_str(&pareto_section(&summary));
        page.push_str(&strategies_section(&summary));
        page.push_str(&context_section(report, &summary));
        page.push_str(&bill_section(report, &summary));
        page.push_str(&moments_section(report));
        page.push_str(&check_section(&summary));
        page.push_str(&sessions_section(report, &summary));
    }
    write_to(
        &mut page,
        format_args!(
            "<section id=\"words\">\n<h2>What the words mean</h2>\n{}</section>\n</main>\n",
            glossary::render()
        ),
    );
    write_to(
        &mut page,
        format_args!(
            "<footer><p class=\"limit\">{LIMIT}</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        ),
    );
    page
}

fn header(report: &Report, summary: &Summary) -> String {
    let formats = list(report.sessions.iter().map(|session| session.format.label().to_owned()));
    let prices = list(report.sessions.iter().map(|session| escape(&session.prices)));
    let models = list(report.sessions.iter().filter_map(|session| session.model.as_deref().map(escape)));
    let mut header = String::from("<header>\n<h1>What would it have cost, and what would it have forgotten?</h1>\n");
    if summary.sessions > 0 {
        write_to(
            &mut header,
            format_args!(
                "<p class=\"quiet\">Replayed: {} with {} · recorded by {formats} · billed by the prices of {prices}{}</p>\n",
                numbers::counted(summary.sessions as u64, "session"),
                numbers::counted(summary.calls, "call"),
                if models.is_empty() { String::new() } else { format!(" · models: {models}") },
            ),
        );
    }
    for group in &summary.groups {
        if let Some(sentence) = headline(group) {
            write_to(&mut header, format_args!("<p class=\"headline\">{sentence}</p>\n"));
        }
    }
    write_to(&mut header, format_args!("<p class=\"limit\">{LIMIT}</p>\n</header>\n"));
    header
}

/// The group in plain words.
fn headline(group: &Group) -> Option<String> {
    let leading = group.leading()?;
    let (repaired, recall) = (leading.repaired_vs_append?, leading.recall?);
    let mut sentence = format!(
        "On {}, <strong>{}</strong> would have cost <strong>{} of append</strong> after repairs, and kept <strong>{}</strong> of what later steps needed in view",
        group_title(group),
        escape(&leading.name),
        numbers::ratio(repaired.median),
        numbers::percent(recall.median),
    );
    sentence.push_str(if group.members.len() > 1 { " (medians)." } else { "." });
    let append = group.strategy(APPEND).and_then(|append| append.total.cost_usd);
    if let (Some(append), Some(own)) = (append, leading.total.cost_usd) {
        write_to(
            &mut sentence,
            format_args!(
                " All together: {} instead of {}, repairs not counted.",
                numbers::dollars(own),
                numbers::dollars(append)
            ),
        );
    }
    let other = group.best_other().filter(|other| other.name != leading.name);
    if let Some((other, repaired, recall)) =
        other.and_then(|other| Some((other, other.repaired_vs_append?, other.recall?)))
    {
        write_to(
            &mut sentence,
            format_args!(
                " The best other, {}: {} at {}.",
                escape(&other.name),
                numbers::ratio(repaired.median),
                numbers::percent(recall.median)
            ),
        );
    }
    if let Some(cheapest) = leading.cheapest.filter(|cheapest| cheapest.sessions > 1) {
        write_to(
            &mut sentence,
            format_args!(
                " Cheapest after repairs on {} of {}.",
                cheapest.won,
                numbers::counted(cheapest.sessions as u64, "session")
            ),
        );
    }
    Some(sentence)
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
    let mut section = String::from(
        "<section id=\"cost-and-recall\">\n<h2>Cost against recall</h2>\n<p>Left is cheaper, up keeps more in view. The large mark is the cost after repairs, the small hollow one at the other end of its bar the cost without them. Thin lines span the middle half of the sessions. The dashed line is append.</p>\n",
    );
    for group in &summary.groups {
        let pictures: String = Size::BOTH.iter().filter_map(|size| pareto::render(group, *size)).collect();
        if pictures.is_empty() {
            continue;
        }
        write_to(
            &mut section,
            format_args!(
                "<figure>\n<figcaption>{}. Height: recall; across: cost.</figcaption>\n{pictures}</figure>\n",
                group_title(group)
            ),
        );
    }
    section.push_str("</section>\n");
    section
}

fn strategies_section(summary: &Summary) -> String {
    let mut section = String::from(
        "<section id=\"strategies\">\n<h2>Every strategy</h2>\n<p class=\"quiet\">Median over sessions; the small numbers are the quartiles. What each column means stands at the end of the page.</p>\n",
    );
    for group in &summary.groups {
        write_to(
            &mut section,
            format_args!(
                "<h3>{}</h3>\n{}<details>\n<summary>More measures</summary>\n{}</details>\n",
                group_title(group),
                tables::strategies(group),
                tables::more_measures(group)
            ),
        );
        for warning in tables::warnings(group) {
            write_to(&mut section, format_args!("<p class=\"quiet warning\">{warning}</p>\n"));
        }
    }
    section.push_str("</section>\n");
    section
}

fn context_section(report: &Report, summary: &Summary) -> String {
    let mut section = String::new();
    let mut left = SESSION_PICTURES;
    for group in &summary.groups {
        let mut strategies = vec![APPEND];
        strategies.extend(group.best_other().map(|other| other.name.as_str()));
        strategies.push(LOOKBACK);
        let mut drawn: Vec<(&SessionReport, String)> = Vec::new();
        for session in by_closeness_to_median(report, group) {
            if left == 0 {
                break;
            }
            let pictures: String =
                Size::BOTH.iter().filter_map(|size| context::render(session, &strategies, *size)).collect();
            if !pictures.is_empty() {
                drawn.push((session, pictures));
                left -= 1;
            }
        }
        let mut drawn = drawn.into_iter();
        let Some((session, pictures)) = drawn.next() else { continue };
        write_to(
            &mut section,
            format_args!(
                "<h3>{}</h3>\n<figure>\n<figcaption>A session of middle length: {}, {}.</figcaption>\n{pictures}</figure>\n",
                group_title(group),
                tables::file(&session.file),
                numbers::counted(session.calls, "call"),
            ),
        );
        let others: Vec<(&SessionReport, String)> = drawn.collect();
        if others.is_empty() {
            continue;
        }
        write_to(
            &mut section,
            format_args!("<details>\n<summary>{}</summary>\n", numbers::counted(others.len() as u64, "other session")),
        );
        for (session, pictures) in others {
            write_to(
                &mut section,
                format_args!(
                    "<details>\n<summary>{}, {}</summary>\n<figure>\n{pictures}</figure>\n</details>\n",
                    tables::file(&session.file),
                    numbers::counted(session.calls, "call")
                ),
            );
        }
        section.push_str("</details>\n");
    }
    if section.is_empty() {
        return section;
    }
    let more = match left {
        0 if summary.sessions > SESSION_PICTURES => format!(
            " Of {} sessions, {SESSION_PICTURES} are drawn; replay fewer files to see others.",
            numbers::count(summary.sessions as u64)
        ),
        _ => String::new(),
    };
    format!(
        "<section id=\"context\">\n<h2>Context per call</h2>\n<p>How many tokens the prompt of each call would have had. A mark on a line: there something was folded, summarised or cleared right before the call. Where that happens very often, strokes below the picture show it instead.{more}</p>\n{section}</section>\n"
    )
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
    let mut section = String::new();
    for group in &summary.groups {
        let bills = bill::bills(report, group);
        let pictures: String = Size::BOTH.iter().filter_map(|size| bill::render(&bills, *size)).collect();
        if pictures.is_empty() {
            continue;
        }
        write_to(
            &mut section,
            format_args!(
                "<figure>\n<figcaption>{}, added up.</figcaption>\n{pictures}</figure>\n<details>\n<summary>The same as figures</summary>\n{}</details>\n",
                group_title(group),
                bill::table(&bills)
            ),
        );
    }
    if section.is_empty() {
        return section;
    }
    format!(
        "<section id=\"bill\">\n<h2>The bill by kind of token</h2>\n<p>All sessions together, so long ones weigh more than in the medians above. In uncached-input tokens: each kind at its price. Numbers inside a bar are shares of append's bill.</p>\n{}{section}</section>\n",
        bill::legend()
    )
}

fn moments_section(report: &Report) -> String {
    let Some(table) = moments::render(report) else { return String::new() };
    let moments = report.sessions.iter().flat_map(|session| &session.pictures.dearest);
    let strategies = list(moments.map(|moment| escape(&moment.strategy)));
    format!(
        "<section id=\"moments\">\n<h2>The ten most expensive moments</h2>\n<p>Single calls of {strategies}, over all sessions, by what they cost in uncached-input tokens, and what made most of it.</p>\n{table}</section>\n"
    )
}

fn check_section(summary: &Summary) -> String {
    let body = match summary.checks.is_empty() {
        true => "<p>None of these sessions carries the provider's bill, so the cache model could not be held against it here.</p>\n".to_owned(),
        false => format!(
            "<p>Where a session carries the provider's own bill, the cache model that bills all strategies is held against it: each prompt's billed size is taken as given, and how much of it was read from the cache is predicted.</p>\n{}",
            tables::checks(summary)
        ),
    };
    format!("<section id=\"check\">\n<h2>The check: predicted against billed</h2>\n{body}</section>\n")
}

fn sessions_section(report: &Report, summary: &Summary) -> String {
    let strategies = list(summary.groups.iter().filter_map(|group| Some(escape(&group.leading()?.name))));
    let whose = if strategies.is_empty() {
        String::new()
    } else {
        format!("<p class=\"quiet\">Figures of {strategies}; costs in uncached-input tokens.</p>\n")
    };
    format!(
        "<section id=\"sessions\">\n<h2>Every session</h2>\n{whose}{}</section>\n",
        tables::sessions(report, summary)
    )
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
