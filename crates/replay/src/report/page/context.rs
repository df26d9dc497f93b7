//! The second picture: how large the prompt of each call would have been, and where something was folded.

use super::{
    axis::{Axis, AxisScale, Size, round_step},
    html::{escape, put},
    look,
};
use crate::report::{Mark, SessionReport, numbers};

/// Marks nearer to each other than this many pixels cover the line: they become ticks below the picture.
const NEAREST_MARKS: f64 = 11.0;

/// Names at the ends of lines are at least this far apart.
const NAME_HEIGHT: f64 = 15.0;

/// `strategies` in the order in which they are drawn. None where the session has no series.
pub(super) fn render(session: &SessionReport, strategies: &[&str], size: Size) -> Option<String> {
    let series: Vec<(&str, &[u64])> = strategies
        .iter()
        .filter_map(|name| Some((*name, session.pictures.context.get(*name)?.as_slice())))
        .filter(|(_, series)| !series.is_empty())
        .collect();
    let calls = series.iter().map(|(_, series)| series.len()).max()?;
    let peak = series.iter().flat_map(|(_, series)| series.iter().copied()).max()?;
    let (left, right, bottom) = match size {
        Size::Desk => (52.0, size.width() - 128.0, 260.0),
        Size::Phone => (38.0, size.width() - 112.0, 200.0),
    };
    let x = Axis { low: 1.0, high: (calls as f64).max(2.0), start: left, end: right, scale: AxisScale::Even };
    let high = (peak as f64 * 1.04).max(1.0);
    let y = Axis { low: 0.0, high, start: bottom, end: 10.0, scale: AxisScale::Even };
    let mut svg = String::new();
    draw_frame(&mut svg, &x, &y, size);
    for (name, series) in &series {
        let (class, dashes, path) = (look::class(name), look::dashes(name), path(series, &x, &y));
        put!(svg, "<path class=\"line {class}\" stroke-dasharray=\"{dashes}\" d=\"{path}\"/>\n");
    }
    let mut rows = 0;
    for (name, series) in &series {
        let Some(marks) = session.pictures.marks.get(*name).filter(|marks| !marks.is_empty()) else { continue };
        if marks.len() as f64 * NEAREST_MARKS <= right - left {
            draw_marks(&mut svg, &Line { name, series, size }, marks, &x, &y);
        } else {
            draw_ticks(&mut svg, name, marks, bottom + 44.0 + 12.0 * f64::from(rows), &x);
            rows += 1;
        }
    }
    draw_names(&mut svg, &series, &x, &y);
    let height = bottom + 42.0 + 14.0 * f64::from(rows);
    Some(size.picture(height, &in_words(&series, session), &svg))
}

fn draw_frame(svg: &mut String, x: &Axis, y: &Axis, size: Size) {
    for tick in y.ticks(5) {
        x.draw_level(svg, y.place(tick), &numbers::tokens(tick));
    }
    let most = if size == Size::Desk { 10.0 } else { 6.0 };
    let step = round_step((x.high - x.low) / most).max(1.0);
    let mut tick = step;
    while tick <= x.high {
        let (at, below) = (x.place(tick), y.start + 16.0);
        put!(svg, "<text class=\"tick\" x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{tick:.0}</text>");
        tick += step;
    }
    let title = if size == Size::Desk { "call number; height: tokens of its prompt" } else { "call; height: tokens" };
    svg.push('\n');
    x.draw_title(svg, y.start + 33.0, title);
}

/// At most two points for each pixel, the lowest and the highest of its calls, so that no fold is smoothed away.
fn path(series: &[u64], x: &Axis, y: &Axis) -> String {
    let pixels = ((x.end - x.start) / 1.5) as usize;
    let bucket = series.len().div_ceil(pixels.max(1)).max(1);
    let mut path = String::new();
    for (number, calls) in series.chunks(bucket).enumerate() {
        let first = number * bucket;
        let at = |least: bool| {
            let sized = calls.iter().enumerate();
            let chosen = match least {
                true => sized.min_by_key(|(_, tokens)| **tokens),
                false => sized.max_by_key(|(_, tokens)| **tokens),
            };
            chosen.map(|(place, tokens)| (first + place, *tokens))
        };
        let mut points: Vec<(usize, u64)> = at(true).into_iter().chain(at(false)).collect();
        points.sort_unstable();
        points.dedup();
        for (call, tokens) in points {
            let command = if path.is_empty() { 'M' } else { 'L' };
            let (across, down) = (x.place((call + 1) as f64), y.place(tokens as f64));
            put!(path, "{command}{across:.1} {down:.1}");
        }
    }
    path
}

/// A strategy's series, and how large its marks are.
struct Line<'a> {
    name: &'a str,
    series: &'a [u64],
    size: Size,
}

fn draw_marks(svg: &mut String, line: &Line<'_>, marks: &[Mark], x: &Axis, y: &Axis) {
    let Line { name, series, size } = line;
    let half = if *size == Size::Desk { 4.5 } else { 3.4 };
    for mark in marks {
        let Some(tokens) = series.get(mark.call) else { continue };
        let (across, down) = (x.place((mark.call + 1) as f64), y.place(*tokens as f64));
        let tip = escape(&tip(name, mark));
        let (class, shape) = (look::class(name), look::shape(name, across, down, half));
        put!(svg, "<g class=\"mark {class}\" data-tip=\"{tip}\" tabindex=\"0\"><title>{tip}</title>{shape}</g>\n");
    }
}

fn draw_ticks(svg: &mut String, name: &str, marks: &[Mark], row: f64, x: &Axis) {
    let mut path = String::new();
    let mut last = f64::NEG_INFINITY;
    for mark in marks {
        let across = x.place((mark.call + 1) as f64);
        // Nearer than this they are one stroke anyway.
        if across - last >= 1.0 {
            put!(path, "M{across:.1} {row:.1}v8");
            last = across;
        }
    }
    let changed = format!("{} changes", numbers::count(marks.len() as u64));
    put!(
        svg,
        "<path class=\"rug {}\" d=\"{path}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{changed}</text>\n",
        look::class(name),
        x.end + 6.0,
        row + 8.0
    );
}

fn draw_names(svg: &mut String, series: &[(&str, &[u64])], x: &Axis, y: &Axis) {
    let mut ends: Vec<(f64, &str)> = Vec::new();
    for (name, series) in series {
        if let Some(last) = series.last() {
            ends.push((y.place(*last as f64), name));
        }
    }
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    // From the lowest line up, so that names pushed apart never leave the picture below, and then down from its top.
    let mut free = y.start + 4.0;
    for (down, _) in ends.iter_mut().rev() {
        *down = down.min(free);
        free = *down - NAME_HEIGHT;
    }
    let mut free = y.end;
    for (down, _) in &mut ends {
        *down = down.max(free);
        free = *down + NAME_HEIGHT;
    }
    for (at, name) in ends {
        put!(
            svg,
            "<g class=\"full {}\">{}</g><text class=\"name\" x=\"{:.1}\" y=\"{at:.1}\" dy=\".35em\">{}</text>\n",
            look::class(name),
            look::shape(name, x.end + 11.0, at, 4.5),
            x.end + 20.0,
            escape(name)
        );
    }
}

fn tip(name: &str, mark: &Mark) -> String {
    let note = if mark.note.is_empty() { String::new() } else { format!(": {}", mark.note) };
    format!("{name}, before call {}: {}{note}", mark.call + 1, mark.what)
}

fn in_words(series: &[(&str, &[u64])], session: &SessionReport) -> String {
    let each = series.iter().map(|(name, series)| {
        let peak = series.iter().max().copied().unwrap_or(0);
        let marks = session.pictures.marks.get(*name).map_or(0, Vec::len);
        format!("{name} peaks at {} tokens, {}", numbers::tokens(peak as f64), numbers::counted(marks as u64, "change"))
    });
    format!("Tokens of the prompt of each call. {}.", each.collect::<Vec<_>>().join("; "))
}
